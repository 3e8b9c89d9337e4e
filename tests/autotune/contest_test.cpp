// Candidates of every kind against each other: right, wrong, crashing, hanging, greedy for memory.
#include "autotune/contest.h"

#include <gtest/gtest.h>
#include <signal.h>
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

TEST(Contest, ends_when_it_is_decided_and_is_seldom_asked) {
    ContestRules r = rules();
    r.seconds = 300;
    std::vector<size_t> asked;
    r.is_decided = [&](const std::vector<Entry> &entries) {
        EXPECT_EQ(entries[0].end, End::Wrong);
        EXPECT_EQ(entries[1].end, End::Timed);
        asked.push_back(entries[1].seconds.size());
        return asked.size() == 3;
    };
    const std::vector<Entry> entries =
        race({[] { return std::make_unique<Made>([] {}, 7); }, right(0.001), right(0.001)}, r);
    EXPECT_EQ(asked, (std::vector<size_t>{10, 20, 40}));
    EXPECT_EQ(entries[1].seconds.size(), 40u);
}

TEST(Contest, gives_up_what_hangs_or_takes_too_long) {
    ContestRules r = rules();
    r.prepared_by = Deadline::after(3);
    const std::vector<Maker> makers = {doing([] { never_end(); }),
                                       []() -> std::unique_ptr<Runnable> { never_end(); },
                                       right(0.2), right(0.001)};
    const std::vector<Entry> entries = race(makers, r);
    EXPECT_EQ(entries[0].end, End::Hung);
    EXPECT_EQ(entries[1].end, End::NotReady);
    EXPECT_EQ(entries[2].end, End::TooSlow);
    EXPECT_EQ(entries[2].seconds.size(), 1u);
    EXPECT_GE(entries[2].spread.median, 0.2);
    EXPECT_EQ(entries[3].end, End::Timed);
}

TEST(Contest, gives_up_what_is_not_ready_in_time_by_the_clock) {
    ContestRules r = rules();
    r.prepare_seconds = 0.2;
    const std::vector<Entry> entries =
        race({[]() -> std::unique_ptr<Runnable> { never_end(); }, right(0.001)}, r);
    EXPECT_EQ(entries[0].end, End::Hung);
    EXPECT_EQ(entries[1].end, End::Timed);
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

// A hog that never comes to the limit would end the machine and not the test.
constexpr size_t far_too_much = size_t{4} << 30;

void take(size_t bytes) {
    static std::vector<std::vector<char>> taken;
    constexpr size_t step = size_t{16} << 20;
    for (size_t i = 0; i < bytes; i += step) taken.emplace_back(step, 'x');
}

TEST(Contest, limits_memory) {
    ContestRules r = rules();
    r.memory_bytes = int64_t{64} << 20;
    const std::vector<Maker> makers = {doing([] { std::vector<char> much(size_t{1} << 40); }),
                                       doing([] { throw OutOfMemory("of a device's"); }),
                                       []() -> std::unique_ptr<Runnable> {
                                           take(far_too_much);
                                           return nullptr;
                                       },
                                       right(0.001)};
    const std::vector<Entry> entries = race(makers, r);
    EXPECT_TRUE(entries[0].end == End::OutOfMemory ||
                entries[0].end == End::Died);  // of a sanitizer
    EXPECT_EQ(entries[1].end, End::OutOfMemory);
    EXPECT_EQ(entries[1].message, "of a device's");
    EXPECT_TRUE(entries[2].end == End::OutOfMemory || entries[2].end == End::Died);
    EXPECT_EQ(entries[3].end, End::Timed);
}

#ifdef __linux__
TEST(Contest, limits_the_memory_that_is_used_where_address_space_is_free) {
    ContestRules r = rules();
    r.memory_bytes = int64_t{64} << 20;
    r.limits_address_space = false;
    const std::vector<Entry> entries = race({doing([] {
                                                 take(size_t{256} << 20);
                                                 never_end();
                                             }),
                                             right(0.001)},
                                            r);
    EXPECT_EQ(entries[0].end, End::OutOfMemory) << entries[0].message;
    EXPECT_EQ(entries[1].end, End::Timed);
}

TEST(Contest, takes_a_kill_from_outside_for_the_end_of_memory) {
    const std::vector<Entry> entries = race({doing([] { raise(SIGKILL); }), right(0.001)});
    EXPECT_EQ(entries[0].end, End::OutOfMemory) << entries[0].message;
}
#endif

TEST(Contest, waits_for_none_that_closes_what_it_speaks_through_or_stops_itself) {
    const auto close_all = [] {
        for (int d = 3; d < 100; d++) close(d);
    };
    const std::vector<Entry> entries = race({doing(close_all), doing([=] {
                                                 close_all();
                                                 never_end();
                                             }),
                                             doing([] { raise(SIGSTOP); }), doing([] {
                                                 if (fork() == 0) never_end();
                                                 std::abort();
                                             }),
                                             right(0.001)});
    EXPECT_EQ(entries[0].end, End::Died);
    EXPECT_EQ(entries[1].end, End::Died);
    EXPECT_EQ(entries[2].end, End::Hung);
    EXPECT_EQ(entries[3].end, End::Died);
    EXPECT_EQ(entries[4].end, End::Timed);
}

// Right in the first run; then it leaves its outputs alone, or computes something else.
class Tiring : public Runnable {
public:
    explicit Tiring(int32_t later) : later_(later) {}
    void call() override {
        if (runs_ == 0 || later_ != 0) work_for(0.001);
        if (runs_++ == 0)
            value_ = 1;
        else if (later_ != 0)
            value_ = later_;
    }
    std::vector<Output> outputs() override {
        Output o{halide_type_t(halide_type_int, 32), std::vector<std::byte>(16)};
        const int32_t values[] = {value_, 2, 3, 4};
        std::memcpy(o.values.data(), values, sizeof values);
        return {o};
    }
    void spoil_outputs() override { value_ = -1; }

private:
    const int32_t later_;
    int runs_ = 0;
    int32_t value_ = -1;
};

TEST(Contest, compares_what_the_last_run_computes_too) {
    const std::vector<Entry> entries = race(
        {[] { return std::make_unique<Tiring>(0); }, [] { return std::make_unique<Tiring>(5); },
         [] { return std::make_unique<Tiring>(1); }, right(0.001)});
    EXPECT_EQ(entries[0].end, End::Wrong);
    EXPECT_EQ(entries[0].message,
              "right in its first run and wrong in a later one: 1 of 4 values differ, for one "
              "-1.000000 for 1.000000");
    EXPECT_EQ(entries[1].end, End::Wrong);
    EXPECT_EQ(entries[2].end, End::Timed) << entries[2].message;
}

// The reference is in the race like the others, and may lose it.
TEST(Contest, may_cut_the_reference_off) {
    const std::vector<Entry> entries = race({right(0.001), right(0.1)});
    EXPECT_EQ(entries[0].end, End::Timed);
    EXPECT_EQ(entries[1].end, End::TooSlow);
}

// As a short run is whose threads wait for processors that have other work.
TEST(Contest, looks_again_at_what_was_slow_for_a_while) {
    const auto slow_at_first = [] {
        return std::make_unique<Made>(
            [runs = 0]() mutable { work_for(++runs <= 2 ? 0.05 : 0.0005); });
    };
    ContestRules r = rules();
    r.seconds = 1;
    const std::vector<Entry> entries = race({slow_at_first, right(0.0005)}, r);
    EXPECT_EQ(entries[0].end, End::Timed) << entries[0].message;
}

TEST(Contest, keeps_its_anchor_however_slow_it_is) {
    ContestRules r = rules();
    r.anchor = 1;
    const std::vector<Entry> entries = race({right(0.001), right(0.02), right(0.02)}, r);
    EXPECT_EQ(entries[0].end, End::Timed);
    EXPECT_EQ(entries[1].end, End::Timed);
    EXPECT_EQ(entries[1].seconds.size(), entries[0].seconds.size());
    EXPECT_EQ(entries[2].end, End::TooSlow);
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

#ifdef __linux__
TEST(Contest, says_how_busy_the_computer_was_otherwise) {
    Conditions conditions;
    contest(
        1, 0, [](size_t) { return right(0.001)(); }, rules(), &conditions);
    ASSERT_TRUE(conditions.other_load);
    EXPECT_GE(*conditions.other_load, 0);
}
#endif

TEST(Contest, names_its_ends_both_ways) {
    for (const End end : {End::Timed, End::Wrong, End::Failed, End::Died, End::OutOfMemory,
                          End::TooSlow, End::Hung, End::NotReady})
        EXPECT_EQ(end_named(name(end)), end);
    EXPECT_EQ(end_named("slow"), std::nullopt);
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
