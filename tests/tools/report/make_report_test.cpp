// The figures of a report are those of the samples.
#include "tools/report/make_report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "autotune/tune/standings.h"
#include "tests/tools/report/made_up_run.h"

namespace cryolite::tools {
namespace {

Report made_up() { return make_report(3, made_up_problem(), made_up_samples(), made_up_rounds()); }

TEST(MakeReport, compares_the_best_with_one_shot_plain_and_by_hand) {
    const Report r = made_up();
    ASSERT_EQ(r.schedules.size(), 4u);
    EXPECT_EQ(r.schedules[0].name, "best");
    EXPECT_EQ(r.schedules[0].trace, "better");
    EXPECT_EQ(r.schedules[0].rank, 1);
    EXPECT_DOUBLE_EQ(r.schedules[0].seconds.median, 2e-3);
    EXPECT_DOUBLE_EQ(r.schedules[0].times_best.median, 1);
    EXPECT_EQ(r.schedules[1].name, "one shot");
    EXPECT_DOUBLE_EQ(r.schedules[1].times_best.median, 2);
    EXPECT_EQ(r.schedules[2].name, "plain");
    EXPECT_DOUBLE_EQ(r.schedules[2].times_best.median, 4);
    EXPECT_EQ(r.schedules[3].name, "by hand");
    EXPECT_DOUBLE_EQ(r.schedules[3].times_best.median, 1.5);
}

TEST(MakeReport, shows_times_that_are_comparable_while_the_computer_gets_slower) {
    std::vector<Sample> samples = made_up_samples();
    // Twice as slow in the same turns as the anchor: the ratio says that the schedule is as fast as before.
    samples.push_back(timed("late", "greedy", {4e-3, 4e-3}, {8e-3, 8e-3}, 1070));
    const Report r = make_report(1, made_up_problem(), samples, {});
    EXPECT_DOUBLE_EQ(r.timed.back().seconds.median, 2e-3);
    EXPECT_DOUBLE_EQ(r.samples.back().seconds.median, 4e-3);
}

TEST(MakeReport, has_the_numbers_of_the_tuners_own_standings) {
    Standings standings;
    for (const Sample &s : made_up_samples()) standings.add(s);
    const Report r = made_up();
    const auto ranked = standings.ranked();
    for (const TimedSchedule &t : r.timed) {
        const Standing &s = *ranked[static_cast<size_t>(t.rank - 1)];
        EXPECT_EQ(t.origin, s.origin);
        EXPECT_EQ(t.seconds.median, standings.comparable(s).seconds.median);
    }
    EXPECT_EQ(r.noise.anchor_seconds, standings.anchor_seconds());
}

TEST(MakeReport, says_which_schedules_were_the_fastest_so_far) {
    std::vector<std::string> origins;
    std::vector<double> seconds;
    for (const TimedSchedule &t : made_up().timed)
        if (t.is_best_so_far) {
            origins.push_back(t.origin);
            seconds.push_back(t.seconds.median);
        }
    // What was scheduled by hand has no trace and is no candidate.
    EXPECT_EQ(origins, (std::vector<std::string>{"plain", "one shot", "greedy", "changed"}));
    EXPECT_TRUE(std::ranges::is_sorted(seconds, std::ranges::greater()));
}

TEST(MakeReport, counts_seconds_from_the_first_round) {
    const Report r = made_up();
    EXPECT_EQ(r.first_created, 1000);
    EXPECT_EQ(r.last_created, 1060);
    EXPECT_EQ(r.samples[0].elapsed_seconds, 10);
    EXPECT_EQ(r.rounds[1].elapsed_seconds, 45);
}

TEST(MakeReport, correlates_predictions_with_measurements) {
    const Report r = made_up();
    // plain 9 > slow 5 > one shot 3 > good 2 > better 1, as measured: 8 > 6 > 4 > 2.55 > 2.
    ASSERT_TRUE(r.prediction_correlation);
    EXPECT_DOUBLE_EQ(*r.prediction_correlation, 1);
    EXPECT_DOUBLE_EQ(r.prediction_bias, 2.55 / 2) << "the median: that of `good`";
    ASSERT_EQ(r.rounds.size(), 2u);
    EXPECT_DOUBLE_EQ(r.rounds[0].prediction_correlation.value(), 1);
    EXPECT_FALSE(r.rounds[1].prediction_correlation) << "of one schedule";
    EXPECT_EQ(r.rounds[1].fit_correlation, 0.75);
    EXPECT_EQ(r.rounds[0].tried, 8);
    EXPECT_EQ(r.rounds[0].timed, 5);
    EXPECT_DOUBLE_EQ(r.rounds[0].best_seconds, 2.55e-3);
    EXPECT_DOUBLE_EQ(r.rounds[1].best_seconds, 2e-3);
}

TEST(MakeReport, counts_failures_by_class_and_message) {
    const Report r = made_up();
    EXPECT_EQ(r.by_status.at(SampleStatus::Timed), 6);
    ASSERT_EQ(r.failures.size(), 2u);
    EXPECT_EQ(r.failures[0].status, SampleStatus::NotBuilt);
    EXPECT_EQ(r.failures[0].schedules, 2);
    EXPECT_EQ(r.failures[0].messages.front(),
              (std::pair<std::string, int64_t>{"Halide refuses it", 2}));
    EXPECT_EQ(r.failures[1].status, SampleStatus::Wrong);
}

TEST(MakeReport, measures_noise_by_the_anchor_and_by_repeats) {
    std::vector<Sample> samples = made_up_samples();
    samples.push_back(timed("late", "greedy", {3e-3, 3e-3, 3e-3}, {5e-3, 5e-3, 5e-3}, 1070));
    const ReportedNoise n = make_report(1, made_up_problem(), samples, {}).noise;
    // All samples of one group share the anchor's turns.
    ASSERT_EQ(n.anchor.size(), 2u);
    EXPECT_DOUBLE_EQ(n.anchor[1].seconds.median, 5e-3);
    EXPECT_DOUBLE_EQ(n.anchor_drift, 0.25);
    ASSERT_EQ(n.repeats.size(), 2u);
    EXPECT_NEAR(n.repeats[0].deviation.median, 2.5 / 2.55 - 1, 1e-12);
    EXPECT_NEAR(n.repeats[1].deviation.median, 2.6 / 2.55 - 1, 1e-12);
    EXPECT_NEAR(n.typical_repeat, 2.6 / 2.5 - 1, 1e-12);
    EXPECT_EQ(n.busy, 1);
    EXPECT_EQ(n.measured, 8);
}

TEST(MakeReport, counts_equal_code_as_no_measurement) {
    std::vector<Sample> samples = made_up_samples();
    samples.push_back(timed("twin", "greedy", {2e-3}, {4e-3}, 1070));
    samples.back().message = "the same code as a schedule from before";
    EXPECT_EQ(make_report(1, made_up_problem(), samples, {}).noise.measured, 7);
}

TEST(MakeReport, describes_the_problem) {
    const ReportedProblem p = made_up().problem;
    EXPECT_EQ(p.machine, "box");
    EXPECT_EQ(p.parameters, (std::vector<std::string>{"n=3", "autoscheduler.parallelism=2"}));
    EXPECT_EQ(p.workload, (std::vector<std::string>{"in 640x480 from 0,-1 (input)",
                                                    "out 640 (output)", "k = 0.5"}));
    EXPECT_EQ(p.versions, (std::vector<std::string>{"0.1.0"}));
}

TEST(MakeReport, takes_problems_whose_texts_are_no_json) {
    Problem p = made_up_problem();
    p.machine = p.parameters = p.workload = "nonsense";
    const Report r = make_report(1, p, made_up_samples(), {});
    EXPECT_EQ(r.problem.machine, "");
    EXPECT_TRUE(r.problem.parameters.empty());
    EXPECT_TRUE(r.problem.workload.empty());
}

TEST(MakeReport, has_no_best_where_nothing_was_timed) {
    const std::vector<Sample> samples{failed("a", SampleStatus::Crashed, "signal 11", 1000)};
    const Report r = make_report(1, made_up_problem(), samples, {});
    EXPECT_TRUE(r.schedules.empty());
    EXPECT_TRUE(r.timed.empty());
    EXPECT_EQ(r.samples.size(), 1u);
    EXPECT_EQ(r.failures.size(), 1u);
}

}  // namespace
}  // namespace cryolite::tools
