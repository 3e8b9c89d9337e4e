// Targets with a GPU: which one is planned for, and that kernels come out.
#include <algorithm>
#include <filesystem>

#include "analytical/explain/explanation_json.h"
#include "graph/builder/divide_reductions.h"
#include "plugin/target/target_gpu.h"
#include "reference/strategy.h"
#include "tests/plugin/plugin_run.h"
#include "tests/scratch_file.h"

namespace cryolite {
namespace {

gpu::GpuDevice device(const std::string &target, const std::string &name = "auto",
                      int64_t parallelism = 0) {
    return gpu_of_target(Halide::Target(target), name, parallelism).device;
}

TEST(TargetGpu, is_the_preset_of_the_capability) {
    const gpu::GpuDevice a100 = device("x86-64-linux-cuda-cuda_capability_80");
    EXPECT_EQ(a100.limits.major, 8);
    EXPECT_EQ(a100.limits.minor, 0);
    EXPECT_EQ(a100.sm_count, 108);
    EXPECT_EQ(a100.limits.threads_per_block, 1024);
    EXPECT_EQ(a100.shared_bytes_per_block, 48 << 10);
    EXPECT_EQ(device("x86-64-linux-cuda-cuda_capability_86").limits.minor, 6);
    EXPECT_EQ(device("x86-64-linux-cuda-cuda_capability_61").limits.major, 7);
    EXPECT_EQ(device("x86-64-linux-cuda").limits.major, 7);
}

TEST(TargetGpu, is_the_one_that_the_user_names) {
    EXPECT_EQ(device("x86-64-linux-cuda", "h100").sm_count, 132);
    EXPECT_EQ(device("x86-64-linux-cuda", "h100", 99).sm_count, 99);
    EXPECT_EQ(device("x86-64-linux-cuda", "x86-avx2").sm_count, 80);
}

TEST(TargetGpu, has_no_more_than_the_interface_promises) {
    EXPECT_EQ(device("x86-64-linux-opencl").limits.threads_per_block, 256);
    EXPECT_EQ(device("x86-64-linux-opencl").shared_bytes_per_block, 32 << 10);
    EXPECT_EQ(device("arm-64-osx-metal").shared_bytes_per_block, 32 << 10);
    EXPECT_EQ(device("x86-64-linux-vulkan").limits.threads_per_block, 128);
    EXPECT_EQ(device("x86-64-linux-cuda-opencl").limits.threads_per_block, 256);
}

struct Stencil {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam input{Halide::Float(32), 2, "input"};
    Halide::Func rows{"rows"}, output{"output"};
    Stencil() {
        rows(x, y) = sqrt(input(x, y) + input(x + 1, y) + input(x + 2, y));
        output(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
        output.set_estimates({{0, 1531}, {0, 1021}});
    }
};

// The scheduling calls: names before them are new for every pipeline.
std::string source_for(const std::string &target, const testing::Options &options) {
    Stencil s;
    const std::string source =
        testing::schedule(s.output, options, Halide::Target(target)).schedule_source;
    return source.substr(source.find("    Var y("));
}

TEST(PluginGpu, schedules_kernels_for_every_interface) {
    for (const char *target : {"x86-64-linux-cuda", "x86-64-linux-opencl", "arm-64-osx-metal",
                               "x86-64-linux-vulkan", "wasm-32-wasmrt-webgpu"}) {
        SCOPED_TRACE(target);
        const std::string source =
            source_for(target, {{"strategy", "autogpu"}, {"machine", "x86-avx2"}});
        EXPECT_NE(source.find(".gpu_blocks("), source.npos);
        EXPECT_NE(source.find(".gpu_threads("), source.npos);
        EXPECT_EQ(source.find(".vectorize("), source.npos);
    }
}

double predicted_seconds(const testing::Options &options) {
    const std::string file = test::scratch_file("gpu_prediction.json").string();
    testing::Options all = options;
    all["explain"] = file;
    Stencil s;
    testing::schedule(s.output, all, Halide::Target("x86-64-linux-cuda-cuda_capability_80"));
    const auto read = read_explanation(file);
    std::filesystem::remove(file);
    return read.ok() ? read->seconds : 0;
}

TEST(PluginGpu, searches_no_worse_than_autogpu) {
    const double found = predicted_seconds({}),
                 by_autogpu = predicted_seconds({{"strategy", "autogpu"}});
    EXPECT_GT(found, 0);
    EXPECT_LE(found, by_autogpu);
}

TEST(PluginGpu, searches_kernels_for_every_interface) {
    for (const char *target : {"x86-64-linux-cuda", "x86-64-linux-opencl", "arm-64-osx-metal",
                               "x86-64-linux-vulkan", "wasm-32-wasmrt-webgpu"}) {
        SCOPED_TRACE(target);
        const std::string source = source_for(target, {{"machine", "x86-avx2"}});
        EXPECT_NE(source.find(".gpu_blocks("), source.npos);
        EXPECT_NE(source.find(".gpu_threads("), source.npos);
    }
}

TEST(PluginGpu, plainly_gives_every_func_a_kernel) {
    const std::string source =
        source_for("x86-64-linux-cuda-cuda_capability_80", {{"mode", "plain"}});
    EXPECT_EQ(source.find(".compute_at("), source.npos);
    EXPECT_NE(source.find(".gpu_blocks("), source.npos);
}

// A histogram of an image: one table by one thread, or tables side by side. On a busy computer the time for trying
// divisions must not run out.
std::string source_of_histogram(testing::Options options) {
    options["time_limit"] = "1000";
    Halide::Var i{"i"};
    Halide::ImageParam input{Halide::UInt(8), 2, "input"};
    Halide::Func counts{"counts"};
    const Halide::RDom r(0, input.width(), 0, input.height(), "r");
    counts(i) = 0;
    counts(Halide::cast<int>(input(r.x, r.y))) += 1;
    input.set_estimates({{0, 1920}, {0, 1080}});
    counts.set_estimates({{0, 256}});
    return testing::schedule(counts, options,
                             Halide::Target("x86-64-linux-cuda-cuda_capability_80"))
        .schedule_source;
}

TEST(PluginGpu, divides_reductions_among_threads) {
    if (!can_divide_reductions) GTEST_SKIP() << "this Halide's rfactor() is not used";
    const std::string source = source_of_histogram({{"machine", "a100"}});
    EXPECT_NE(source.find("rfactor("), source.npos) << source;
    EXPECT_NE(source.find(".gpu_threads("), source.npos) << source;
    const std::string whole = source_of_histogram({{"machine", "a100"}, {"divide", "false"}});
    EXPECT_EQ(whole.find("rfactor("), whole.npos) << whole;
}

std::string complaint_on_cuda(const testing::Options &options) {
    Stencil s;
    return testing::complaint(s.output, options, Halide::Target("x86-64-linux-cuda"));
}

TEST(PluginGpu, refuses_strategies_for_cpus_and_says_what_to_use) {
    for (const std::string &name : strategy_names()) {
        const std::string said = complaint_on_cuda({{"strategy", name}});
        for (const std::string &part : {"Cryolite: strategy=" + name + " schedules for CPUs",
                                        std::string("use strategy=search or strategy=autogpu")})
            EXPECT_NE(said.find(part), said.npos) << part << "\n" << said;
    }
}

TEST(PluginGpu, explains_kernels_by_the_terms_of_a_gpu) {
    const std::string file = test::scratch_file("gpu_explanation.json").string();
    Stencil s;
    testing::schedule(s.output, {{"machine", "a100"}, {"explain", file}},
                      Halide::Target("x86-64-linux-cuda-cuda_capability_80"));
    const auto read = read_explanation(file);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->machine, "a100");
    EXPECT_EQ(read->machine_source, "preset a100, through CUDA");
    EXPECT_GT(read->seconds, 0);
    EXPECT_EQ(read->terms[0].name, "compute");
    EXPECT_TRUE(std::ranges::any_of(
        read->terms, [](const ExplainedTerm &t) { return t.name == "launches" && t.seconds > 0; }));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace cryolite
