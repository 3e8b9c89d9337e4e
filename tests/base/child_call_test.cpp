// A call in a child process: its answer, its crash, its end by force, and what a lock does to it.
#include "base/child_call.h"

#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace cryolite {
namespace {

using Outcome = ChildAnswer::Outcome;

constexpr double long_enough = 600, all_the_cpu = 1e6;

ChildAnswer answer_of(const std::function<std::string()> &work, double cpu_seconds = all_the_cpu) {
    ChildCall call(work, cpu_seconds);
    EXPECT_TRUE(call.ended(long_enough));
    return call.answer();
}

[[noreturn]] void never_end() {
    volatile uint64_t turns = 0;
    for (;;) turns = turns + 1;
}

TEST(ChildCall, gives_the_answer_whatever_its_length) {
    EXPECT_EQ(answer_of([] { return std::string("yes"); }).text, "yes");
    const ChildAnswer empty = answer_of([] { return std::string(); });
    EXPECT_EQ(empty.outcome, Outcome::Answered);
    EXPECT_EQ(empty.text, "");
    const std::string lengthy(1 << 20, 'x');  // more than a pipe holds
    EXPECT_EQ(answer_of([&] { return lengthy; }).text, lengthy);
}

TEST(ChildCall, changes_nothing_here) {
    int value = 1;
    EXPECT_EQ(answer_of([&] { return std::to_string(++value); }).text, "2");
    EXPECT_EQ(value, 1);
}

TEST(ChildCall, writes_nothing_on_the_terminal) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    answer_of([] {
        std::fprintf(stderr, "an error\n");
        std::printf("a line\n");
        std::fflush(stdout);
        return std::string();
    });
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ChildCall, answers_with_what_an_exception_says) {
    EXPECT_EQ(answer_of([]() -> std::string { throw std::runtime_error("not so"); }).text,
              "not so");
}

TEST(ChildCall, survives_a_crash) {
    const ChildAnswer aborted = answer_of([]() -> std::string { std::abort(); });
    EXPECT_EQ(aborted.outcome, Outcome::Died);
    EXPECT_NE(aborted.text, "");
    EXPECT_EQ(answer_of([]() -> std::string { std::_Exit(0); }).outcome, Outcome::Died);
    EXPECT_EQ(answer_of([]() -> std::string { throw 1; }).outcome, Outcome::Died);
}

TEST(ChildCall, is_given_up_when_it_is_stopped) {
    ChildCall call([]() -> std::string { never_end(); }, all_the_cpu);
    EXPECT_FALSE(call.ended(0));
    call.stop();
    EXPECT_TRUE(call.ended(0));
    EXPECT_EQ(call.answer().outcome, Outcome::GivenUp);
}

TEST(ChildCall, is_given_up_when_it_has_used_up_its_processor_time) {
    EXPECT_EQ(answer_of([]() -> std::string { never_end(); }, 1).outcome, Outcome::GivenUp);
}

#ifdef __linux__
// Another thread of this process holds it, and has no copy in the child that could let it go.
TEST(ChildCall, that_waits_for_a_lock_for_ever_counts_as_not_started) {
    std::mutex lock, held;
    held.lock();
    lock.lock();
    std::thread holder([&] { std::lock_guard<std::mutex> wait(held); });
    EXPECT_EQ(answer_of([&] {
                  lock.lock();
                  return std::string();
              }).outcome,
              Outcome::NotStarted);
    held.unlock();
    holder.join();
    lock.unlock();
}
#endif

TEST(ChildCall, ends_with_its_object) {
    {
        const ChildCall call([]() -> std::string { never_end(); }, all_the_cpu);
    }
    SUCCEED();
}

}  // namespace
}  // namespace cryolite
