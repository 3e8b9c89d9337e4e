// Which schedule is taken when some are refused, crash or are never lowered.
#include "plugin/trial/trial.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "plugin/trial/schedules_to_try.h"

namespace cryolite {
namespace {

using Verdict = Trial::Verdict;

[[noreturn]] void never_end() {
    volatile uint64_t turns = 0;
    for (;;) turns = turns + 1;
}

// A clock that moves on by a second whenever it is asked.
Deadline after_questions(double count) {
    const auto now = std::make_shared<std::atomic<int>>(0);
    return Deadline::after(count, [now] { return static_cast<double>((*now)++); });
}

TEST(Trial, takes_the_first_that_passes) {
    const Trials t =
        try_schedules(3, [](size_t i) { return std::string(i < 1 ? "refused" : ""); }, {});
    EXPECT_EQ(t.taken, 1u);
    EXPECT_EQ(t.of[0].verdict, Verdict::Refused);
    EXPECT_EQ(t.of[0].why, "refused");
    EXPECT_EQ(t.of[2].verdict, Verdict::NotTried);
}

// A search that other work held up for longer than its time found a good schedule, and the plain one was emitted.
TEST(Trial, has_time_after_a_search_that_was_held_up) {
    PluginOptions options;
    options.search.time_limit_seconds = 20;
    EXPECT_GT(end_of_trials(Deadline::after(-5), options).left(), 4.5);
    EXPECT_LE(end_of_trials(Deadline::after(-5), options).left(), 5);
    EXPECT_GT(end_of_trials(Deadline::after(12), options).left(), 11) << "the search left more";
    options.verify = false;
    EXPECT_LE(end_of_trials(Deadline::after(-5), options).left(), 0) << "nothing is tried";
}

TEST(Trial, takes_none_where_none_passes) {
    const Trials t = try_schedules(2, [](size_t) { return std::string("no"); }, {});
    EXPECT_FALSE(t.taken);
    EXPECT_EQ(t.of[1].verdict, Verdict::Refused);
    EXPECT_FALSE(try_schedules(0, [](size_t) { return std::string(); }, {}).taken);
}

TEST(Trial, is_prepared_just_before_it) {
    std::string prepared;
    const auto prepare = [&](size_t i) { prepared += std::to_string(i); };
    const auto second = [&](size_t i) {
        return std::string(i == 1 && prepared == "01" ? "" : "refused");
    };
    EXPECT_EQ(try_schedules(4, second, {}, prepare).taken, 1u);
    EXPECT_EQ(prepared, "01");
}

TEST(Trial, that_crashes_is_a_refusal) {
    const Trials t = try_schedules(2,
                                   [](size_t i) -> std::string {
                                       if (i == 0) std::abort();
                                       return "";
                                   },
                                   {});
    EXPECT_EQ(t.taken, 1u);
    EXPECT_EQ(t.of[0].verdict, Verdict::Refused);
    EXPECT_NE(t.of[0].why.find("crashed"), std::string::npos) << t.of[0].why;
}

TEST(Trial, that_never_ends_is_given_up_at_the_deadline) {
    const Trials t =
        try_schedules(3, [](size_t) -> std::string { never_end(); }, {after_questions(50), 1e6});
    EXPECT_FALSE(t.taken);
    for (const Trial &trial : t.of) EXPECT_EQ(trial.verdict, Verdict::GivenUp);
}

TEST(Trial, that_never_ends_is_given_up_at_its_processor_time) {
    const Trials t = try_schedules(2,
                                   [](size_t i) -> std::string {
                                       if (i == 0) never_end();
                                       return "";
                                   },
                                   {Deadline(), 1});
    EXPECT_EQ(t.taken, 1u);
    EXPECT_EQ(t.of[0].verdict, Verdict::GivenUp);
}

// The next one's answer is there when the best is given up.
TEST(Trial, is_made_of_the_next_one_while_a_slow_one_goes_on) {
    const Trials t = try_schedules(2,
                                   [](size_t i) -> std::string {
                                       if (i == 0) never_end();
                                       return "";
                                   },
                                   {after_questions(60), 1e6});
    EXPECT_EQ(t.taken, 1u);
    EXPECT_EQ(t.of[0].verdict, Verdict::GivenUp);
}

// Other work has the processors: the clock has passed the deadline before the check had a second.
TEST(Trial, that_was_starved_goes_on_until_it_had_its_share) {
    const auto slow = [](size_t) -> std::string {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return "";
    };
    EXPECT_FALSE(try_schedules(1, slow, {after_questions(4), 30}).taken);
    EXPECT_EQ(try_schedules(1, slow, {after_questions(4), 30, 1e6}).taken, 0u);
    // Its share is a second of a processor, and not as much as it asks for.
    const Trials t = try_schedules(1, [](size_t) -> std::string { never_end(); },
                                   {after_questions(4), 1e6, 1e6});
    EXPECT_EQ(t.of[0].verdict, Verdict::GivenUp);
}

TEST(Trial, without_any_time_takes_nothing) {
    double now = 1;
    const Deadline over = Deadline::after(0, [&] { return now; });
    const Trials t = try_schedules(2, [](size_t) { return std::string(); }, {over, 30});
    EXPECT_FALSE(t.taken);
    EXPECT_EQ(t.of[0].verdict, Verdict::GivenUp);
}

}  // namespace
}  // namespace cryolite
