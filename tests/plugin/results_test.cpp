// What a user gets back: the schedule as text, the trace that replays it, and no noise.
#include <regex>

#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using testing::box_filter;
using testing::quick;
using testing::schedule;

std::string text_of(const std::vector<uint8_t> &bytes) { return {bytes.begin(), bytes.end()}; }

// Without the numbers by which Halide tells Funcs of the same name in one process apart.
std::string unnumbered(const std::string &text) {
    return std::regex_replace(text, std::regex("\\$[0-9]+"), "");
}

TEST(PluginResults, hold_the_schedule_and_its_trace) {
    const Halide::AutoSchedulerResults results = schedule(box_filter(), quick());
    EXPECT_NE(results.schedule_source.find(".vectorize("), std::string::npos);
    EXPECT_NE(results.schedule_source.find(".parallel("), std::string::npos);
    EXPECT_EQ(text_of(results.featurization).rfind("cryolite-trace 1\nalgorithm ", 0), 0u);
    EXPECT_EQ(results.target, Halide::get_host_target());
    EXPECT_EQ(results.autoscheduler_params.name, "Cryolite");
    EXPECT_EQ(results.autoscheduler_params.extra.at("beam_size"), "4");
}

TEST(PluginResults, come_without_a_word_on_the_terminal) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    schedule(box_filter(), quick());
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(PluginResults, of_a_search_that_met_its_limit_come_with_a_warning_of_one_line) {
    const testing::Options hurried = quick({{"time_limit", "0.01"}, {"verify", "false"}});
    ::testing::internal::CaptureStderr();
    schedule(box_filter(), hurried);
    const std::string warned = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(warned.rfind("Cryolite warning: the search ended at time_limit", 0), 0u) << warned;
    EXPECT_EQ(warned.find('\n'), warned.size() - 1) << warned;
    testing::Options silent = hurried;
    silent["log_level"] = "silent";
    ::testing::internal::CaptureStderr();
    schedule(box_filter(), silent);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(PluginResults, are_explained_on_standard_error_when_asked) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    schedule(box_filter(), quick({{"log_level", "info"}}));
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    const std::string told = ::testing::internal::GetCapturedStderr();
    for (const char *part : {"Cryolite: machine ", "predicted ", "loops:\n"})
        EXPECT_NE(told.find(part), told.npos) << part << " is not in:\n" << told;
}

TEST(PluginResults, are_the_same_for_the_same_seed_on_any_number_of_threads) {
    const auto trace = [](const char *threads) {
        return unnumbered(
            text_of(schedule(box_filter(), quick({{"threads", threads}})).featurization));
    };
    const std::string one = trace("1");
    for (const char *threads : {"1", "2", "3"}) EXPECT_EQ(trace(threads), one);
}

TEST(PluginResults, of_mode_plain_need_no_search) {
    const std::string trace =
        text_of(schedule(box_filter(), {{"mode", "plain"}, {"parallelism", "4"}}).featurization);
    EXPECT_NE(trace.find("compute_root rows"), trace.npos) << trace;
}

}  // namespace
}  // namespace cryolite
