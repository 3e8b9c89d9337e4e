// Candidates of every kind against each other: right, wrong, crashing, hanging, greedy for memory.
#include "autotune/contest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace cryolite {
namespace {

using End = Entry::End;

// Runs `work` and computes four numbers.
class Made : public Runnable {
public:
    explicit Made(std::function<void()> work, int32_t first = 1)
        : work_(std::move(work)), first_(first) {}
    void call() override { work_(); }
    std::vector<Output> outputs() override {
        const int32_t values[] = {first_, 2, 3, 4};
        Output o{halide_type_t(halide_type_int, 32), {}};
        o.values.resize(sizeof values);
        std::memcpy(o.values.data(), values, sizeof values);
        return {o};
    }

private:
    std::function<void()> work_;
    int32_t first_;
};

void work_for(double seconds) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
           seconds) {
    }
}

[[noreturn]] void never_end() {
    for (;;) pause();
}

using Maker = std::function<std::unique_ptr<Runnable>()>;

Maker right(double seconds) {
    return [=] { return std::make_unique<Made>([=] { work_for(seconds); }); };
}
Maker doing(std::function<void()> work) {
    return [=] { return std::make_unique<Made>(work); };
}

ContestRules rules() {
    ContestRules r;
    r.output_bytes = 16;
    r.seconds = 0.2;
    r.sample_seconds = 0.002;
    r.prepared_at_once = 2;
    r.prepared_by = Deadline::after(300);
    return r;
}

std::vector<Entry> race(const std::vector<Maker> &makers, const ContestRules &r = rules()) {
    return contest(
        makers.size(), makers.size() - 1, [&](size_t i) { return makers[i](); }, r);
}

TEST(Contest, times_what_is_right_and_tells_the_rest_apart) {
    const std::vector<Maker> makers = {
        right(0.001),
        [] { return std::make_unique<Made>([] {}, 7); },
        []() -> std::unique_ptr<Runnable> { throw std::runtime_error("refused by name"); },
        doing([] { throw std::runtime_error("out of bounds"); }),
        doing([] { std::abort(); }),
        []() -> std::unique_ptr<Runnable> { std::abort(); },
        right(0.001)};
    const std::vector<Entry> entries = race(makers);
    EXPECT_EQ(entries[0].end, End::Timed) << entries[0].message;
    EXPECT_EQ(entries[1].end, End::Wrong);
    EXPECT_EQ(entries[1].message, "1 of 4 values differ, for one 7.000000 for 1.000000");
    EXPECT_EQ(entries[2].end, End::Failed);
    EXPECT_EQ(entries[2].message, "refused by name");
    EXPECT_EQ(entries[3].end, End::Failed);
    EXPECT_EQ(entries[3].message, "out of bounds");
    EXPECT_EQ(entries[4].end, End::Died);
    EXPECT_EQ(entries[5].end, End::Died);
    EXPECT_EQ(entries[6].end, End::Timed) << entries[6].message;
    EXPECT_GE(entries[0].seconds.size(), 3u);
    EXPECT_EQ(entries[0].seconds.size(), entries[6].seconds.size());
    EXPECT_GE(entries[0].spread.low, 0.001);
    EXPECT_GT(ratio(entries[0], entries[6]).median, 0);
}

TEST(Contest, gives_up_what_hangs_or_takes_too_long) {
    ContestRules r = rules();
    r.prepared_by = Deadline::after(3);
    const std::vector<Maker> makers = {doing([] { never_end(); }),
                                       []() -> std::unique_ptr<Runnable> { never_end(); },
                                       right(0.2), right(0.001)};
    const std::vector<Entry> entries = race(makers, r);
    EXPECT_EQ(entries[0].end, End::TooSlow);
    EXPECT_EQ(entries[1].end, End::NotReady);
    EXPECT_EQ(entries[2].end, End::TooSlow);
    EXPECT_EQ(entries[3].end, End::Timed);
}

TEST(Contest, limits_the_processor_time_of_preparing_and_not_of_running) {
    ContestRules r = rules();
    r.prepare_cpu_seconds = 1;
    const std::vector<Maker> makers = {[]() -> std::unique_ptr<Runnable> {
                                           work_for(300);
                                           return nullptr;
                                       },
                                       right(1.5), right(1.5)};
    const std::vector<Entry> entries = race(makers, r);
    EXPECT_EQ(entries[0].end, End::NotReady);
    EXPECT_EQ(entries[0].message, "it took more processor time than allowed");
    EXPECT_EQ(entries[1].end, End::Timed) << entries[1].message;
    EXPECT_EQ(entries[2].end, End::Timed) << entries[2].message;
}

TEST(Contest, limits_memory) {
    ContestRules r = rules();
    r.memory_bytes = int64_t{64} << 20;
    const std::vector<Maker> makers = {doing([] { std::vector<char> much(size_t{1} << 30); }),
                                       right(0.001)};
    const std::vector<Entry> entries = race(makers, r);
    EXPECT_TRUE(entries[0].end == End::Failed || entries[0].end == End::Died);  // of a sanitizer
    EXPECT_EQ(entries[1].end, End::Timed);
}

// The reference is in the race like the others, and may lose it.
TEST(Contest, may_cut_the_reference_off) {
    const std::vector<Entry> entries = race({right(0.001), right(0.1)});
    EXPECT_EQ(entries[0].end, End::Timed);
    EXPECT_EQ(entries[1].end, End::TooSlow);
}

TEST(Contest, times_nothing_without_a_reference) {
    for (const Maker &reference :
         {doing([] { std::abort(); }),
          Maker([]() -> std::unique_ptr<Runnable> { throw std::runtime_error("no"); })}) {
        const std::vector<Entry> entries = race({right(0.001), reference});
        EXPECT_EQ(entries[0].end, End::NotReady);
        EXPECT_TRUE(entries[0].seconds.empty());
        EXPECT_NE(entries[1].end, End::Timed);
    }
}

TEST(Contest, leaves_no_process_running) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    race({doing([] { never_end(); }), right(0.001)});
    close(pipe_ends[1]);
    char byte = 0;
    // Every child holds the other end. All are gone if the pipe has ended.
    EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);
    close(pipe_ends[0]);
}

}  // namespace
}  // namespace cryolite
