// From samples to numbers.
#include "tools/calibrate/experiment.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tools/calibrate/run_probes.h"
#include "tools/calibrate/thread_team.h"

namespace cryolite::calibrate {
namespace {

TEST(Estimate, of_work_is_the_minimum_and_how_well_it_is_reproduced) {
    const Estimate e = estimate({9, 2, 3, 100, 4}, Statistic::Minimum);
    EXPECT_EQ(e.value, 2);
    EXPECT_EQ(e.error, 1);  // the second of five is the first quartile
    EXPECT_EQ(e.spread(), 0.5);
    EXPECT_EQ(estimate({7}, Statistic::Minimum).value, 7);
    EXPECT_EQ(estimate({7}, Statistic::Minimum).error, 0);
}

TEST(Estimate, of_what_varies_by_itself_is_the_median) {
    const Estimate e = estimate({9, 2, 3, 100, 4}, Statistic::Median);
    EXPECT_EQ(e.value, 4);
    EXPECT_EQ(e.error, (9 - 3) / 2.0);
}

TEST(Estimate, carries_its_error_along) {
    const Estimate a{10, 1}, b{4, 0.5};
    EXPECT_EQ((a + b).value, 14);
    EXPECT_EQ((a + b).error, 1.5);
    EXPECT_EQ((a - b).value, 6);
    EXPECT_EQ((a - b).error, 1.5);
    EXPECT_EQ((a / b).value, 2.5);
    EXPECT_DOUBLE_EQ((a / b).spread(), 0.1 + 0.125);
    EXPECT_EQ((a * 2).error, 2);
}

TEST(RunProbes, divides_by_repetitions_and_operations_and_prepares_before_every_sample) {
    int64_t prepared = 0, runs = 0;
    double last_share = 0;
    Probe probe{"p", 4, [&](int64_t) { runs++; }};
    probe.prepare = [&] { prepared++; };
    probe.sample_seconds = 0;
    const ProbeResults results = run_probes({probe}, 0, [&](double share) { last_share = share; });
    EXPECT_EQ(results.rounds, 3);
    EXPECT_EQ(prepared, runs);
    EXPECT_EQ(last_share, 1);
    EXPECT_GE(results.seconds.at("p").value, 0);
}

TEST(ThreadTeam, runs_every_index_each_round) {
    ThreadTeam team(3);
    std::atomic<int> sum = 0;
    for (int round = 0; round < 100; round++) team.run([&](int i) { sum += 1 << (8 * i); });
    EXPECT_EQ(sum, 100 * (1 + 256 + 65536));
}

TEST(ThreadTeam, hands_on_what_a_thread_throws) {
    ThreadTeam team(2);
    EXPECT_THROW(team.run([](int i) {
        if (i == 1) throw std::runtime_error("no");
    }),
                 std::runtime_error);
    team.run([](int) {});
}

}  // namespace
}  // namespace cryolite::calibrate
