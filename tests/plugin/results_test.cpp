// What a user gets back: the schedule as text, the trace that replays it, and no noise.
#include <filesystem>
#include <fstream>

#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using testing::quick;
using testing::schedule;

Halide::Pipeline box_filter() {
    Halide::Var x("x"), y("y");
    Halide::ImageParam input(Halide::UInt(16), 2, "input");
    Halide::Func rows("rows"), output("output");
    rows(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
    output(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
    input.set_estimates({{0, 514}, {0, 386}});
    output.set_estimates({{0, 512}, {0, 384}});
    return output;
}

std::string text_of(const std::vector<uint8_t> &bytes) { return {bytes.begin(), bytes.end()}; }

// From the calls on: above them the text holds names that Halide makes unique per process.
std::string calls_of(const std::string &source) { return source.substr(source.find("    Var ")); }

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
    const std::string one = text_of(schedule(box_filter(), quick({{"threads", "1"}})).featurization);
    for (const char *threads : {"1", "2", "3"}) {
        std::string other =
            text_of(schedule(box_filter(), quick({{"threads", threads}})).featurization);
        // The second box filter of a process has numbered names.
        EXPECT_EQ(std::count(other.begin(), other.end(), '\n'),
                  std::count(one.begin(), one.end(), '\n'));
        EXPECT_EQ(other.substr(0, other.find("compute_root")),
                  one.substr(0, one.find("compute_root")));
    }
}

TEST(PluginResults, replay_the_trace_into_the_same_schedule) {
    const Halide::Pipeline pipeline = box_filter();
    const Halide::AutoSchedulerResults searched = schedule(pipeline, quick());
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) / "cryolite_replay.trace";
    // A pipeline that is scheduled already is locked; the trace goes to an equal one, by its names.
    const Halide::Pipeline again = box_filter();
    std::string trace = text_of(searched.featurization);
    for (size_t i = 0; i < 1; i++) {
        const std::string from = pipeline.outputs()[0].name(), to = again.outputs()[0].name();
        for (size_t at = trace.find(from); at != trace.npos; at = trace.find(from, at + to.size()))
            trace.replace(at, from.size(), to);
    }
    std::ofstream(file) << trace;
    const Halide::AutoSchedulerResults replayed =
        schedule(again, {{"mode", "replay"}, {"trace_file", file.string()}});
    EXPECT_EQ(calls_of(replayed.schedule_source), calls_of(searched.schedule_source));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace cryolite
