// What the user must mend is a Halide::CompileError that says what and how.
#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using testing::complaint;

struct Doubled {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam input{Halide::Float(32), 2, "input"};
    Halide::Func output{"doubled_output"};
    Doubled() { output(x, y) = input(x, y) * 2.0f; }
    Doubled &with_estimates() {
        input.set_estimates({{0, 64}, {0, 48}});
        output.set_estimates({{0, 64}, {0, 48}});
        return *this;
    }
};

std::string said(const testing::Options &options,
                 const Halide::Target &target = Halide::get_host_target()) {
    Doubled p;
    p.with_estimates();
    return complaint(p.output, options, target);
}

void expect_all(const std::string &text, const std::vector<std::string> &parts) {
    for (const std::string &part : parts)
        EXPECT_NE(text.find(part), text.npos) << "'" << part << "' is not in:\n" << text;
}

TEST(PluginErrors, an_unknown_option_lists_what_there_is) {
    expect_all(said({{"beam_sizes", "4"}}),
               {"Cryolite: ", "beam_sizes", "beam_size", "parallelism", "log_level"});
}

TEST(PluginErrors, a_bad_value_says_what_it_must_be) {
    expect_all(said({{"beam_size", "many"}}), {"beam_size", "'many'", "integer from 0 to 4096"});
    expect_all(said({{"beam_size", "-1"}}), {"'-1'", "integer from 0 to 4096"});
    expect_all(said({{"mode", "fast"}}), {"mode", "'fast'", "one_shot, top_k, plain, replay"});
    expect_all(said({{"verify", "maybe"}}), {"verify", "true or false"});
}

TEST(PluginErrors, an_unknown_machine_lists_the_presets) {
    expect_all(said({{"machine", "pdp11"}}), {"'pdp11'", "x86-avx2", "x86-avx512", "arm-neon"});
}

TEST(PluginErrors, a_target_without_a_machine_model_says_how_to_name_one) {
    const Halide::Target riscv("riscv-64-linux");
    expect_all(said({}, riscv), {"riscv-64-linux", "autoscheduler.machine=", "x86-avx2"});
}

TEST(PluginErrors, a_target_without_a_machine_model_is_scheduled_for_a_named_one) {
    EXPECT_EQ(said(testing::quick({{"machine", "arm-neon"}, {"verify", "false"}}),
                   Halide::Target("riscv-64-linux")),
              "");
}

TEST(PluginErrors, autogpu_without_a_gpu_says_what_the_target_needs) {
    expect_all(said({{"strategy", "autogpu"}}, Halide::Target("x86-64-linux")),
               {"strategy=autogpu", "x86-64-linux", "cuda", "opencl"});
}

TEST(PluginErrors, a_missing_estimate_of_an_output_names_the_func_the_dimension_and_the_line) {
    Doubled p;
    p.input.set_estimates({{0, 64}, {0, 48}});
    p.output.set_estimate(p.x, 0, 64);
    expect_all(complaint(p.output, {}), {"doubled_output", "dimension 1 (y)",
                                         "doubled_output.set_estimate(y, min, extent);"});
}

TEST(PluginErrors, a_missing_estimate_of_a_parameter_names_it_and_the_line) {
    Doubled p;
    Halide::Param<int> offset("row_offset");
    Halide::Func shifted("shifted");
    shifted(p.x, p.y) = p.output(p.x, p.y + offset);
    p.output.compute_root();
    shifted.set_estimates({{0, 64}, {0, 48}});
    p.input.set_estimates({{0, 64}, {0, 1000}});
    expect_all(complaint(shifted, {}), {"row_offset", "row_offset.set_estimate("});
}

TEST(PluginErrors, a_replay_without_a_readable_trace_names_the_file) {
    expect_all(said({{"mode", "replay"}, {"trace_file", "/no/such/file.trace"}}),
               {"mode=replay", "/no/such/file.trace"});
}

// An error leaves the pipeline as it was: the user may mend the options and schedule again.
TEST(PluginErrors, a_pipeline_can_be_scheduled_after_an_error) {
    Doubled p;
    p.with_estimates();
    EXPECT_NE(complaint(p.output, {{"beam_size", "many"}}), "");
    EXPECT_EQ(complaint(p.output, testing::quick()), "");
}

}  // namespace
}  // namespace cryolite
