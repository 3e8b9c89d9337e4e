// Every app for a GPU, by AutoGPU and by a small search: a legal schedule whose kernels can be launched, and that
// Halide lowers. What they compute is for the semantics tests and `./dev bench gpu_check`.
#include <gtest/gtest.h>

#include <cmath>

#include "analytical/gpu/schedule_time.h"
#include "apps/common/app_list.h"
#include "code/legality/validate.h"
#include "graph/builder/build.h"
#include "machine/presets.h"
#include "plugin/target/target_gpu.h"
#include "plugin/trial/verify.h"
#include "reference/autogpu/schedule.h"
#include "search/search.h"

namespace cryolite {
namespace {

Halide::Pipeline pipeline_of(const apps::AppDescription &app, const Halide::Target &target) {
    const Halide::GeneratorContext context(target, Halide::AutoschedulerParams("Cryolite", {}));
    const auto generator =
        Halide::Internal::GeneratorRegistry::create(app.generator_name(), context);
    for (const auto &[key, value] : app.parameters) generator->set_generatorparam_value(key, value);
    return generator->build_pipeline();
}

class AppsOnGpu : public ::testing::TestWithParam<apps::AppDescription> {
protected:
    void SetUp() override {
        std::vector<Halide::Internal::Function> outputs;
        for (const Halide::Func &f : pipeline_.outputs()) outputs.push_back(f.function());
        auto built = build_graph(outputs, target_);
        ASSERT_TRUE(built.ok()) << built.error().message;
        built_ = std::make_unique<BuiltGraph>(std::move(*built));
    }

    void expect_sound(const LoopNest &nest) {
        EXPECT_TRUE(nest.complete());
        EXPECT_EQ(validate(nest), "");
        EXPECT_FALSE(gpu_kernels_of(nest).empty());
        const auto fault = find_kernel_fault(nest, launch_limits(gpu_.device));
        EXPECT_FALSE(fault) << fault->text;
        const gpu::GpuScheduleTime time = gpu::predict(nest, gpu_.device, host_);
        EXPECT_TRUE(std::isfinite(time.seconds) && time.seconds > 0) << time.seconds;
        EXPECT_FALSE(time.too_large);
        EXPECT_EQ(what_halide_refuses(pipeline_, *built_, nest, target_, host_), "");
    }

    const Halide::Target target_{"x86-64-linux-avx2-fma-f16c-sse41-avx-opencl"};
    const Halide::Pipeline pipeline_ = pipeline_of(GetParam(), target_);
    std::unique_ptr<BuiltGraph> built_;
    const TargetGpu gpu_ = gpu_of_target(target_, "auto", 0);
    const Machine host_ = *machine_preset("x86-avx2");
};

TEST_P(AppsOnGpu, AreScheduledForOpenCl) {
    const StrategyResult found = auto_gpu_schedule(built_->graph, gpu_.device, host_);
    EXPECT_GT(found.report.stages_as_planned + found.report.stages_adapted, 0u);
    expect_sound(found.nest);
}

TEST_P(AppsOnGpu, AreSearchedForOpenCl) {
    SearchOptions small;
    small.beam_size = 2;
    small.num_passes = 1;
    small.tilings_per_placement = 4;
    expect_sound(search(built_->graph, {host_, &gpu_.device}, small).nest);
}

INSTANTIATE_TEST_SUITE_P(, AppsOnGpu, ::testing::ValuesIn(apps::app_list()),
                         [](const auto &info) { return info.param.name; });

}  // namespace
}  // namespace cryolite
