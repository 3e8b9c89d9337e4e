// Every app by AutoGPU for a GPU: a legal schedule whose kernels can be launched, and that Halide
// lowers. What they compute is for the semantics tests and `./dev bench gpu_check`.
#include <gtest/gtest.h>

#include <cmath>

#include "analytical/gpu/schedule_time.h"
#include "apps/common/app_list.h"
#include "code/legality/validate.h"
#include "graph/build.h"
#include "machine/presets.h"
#include "plugin/target_gpu.h"
#include "plugin/verify.h"
#include "reference/autogpu/schedule.h"

namespace cryolite {
namespace {

Halide::Pipeline pipeline_of(const apps::AppDescription &app, const Halide::Target &target) {
    const Halide::GeneratorContext context(target, Halide::AutoschedulerParams("Cryolite", {}));
    const auto generator =
        Halide::Internal::GeneratorRegistry::create(app.generator_name(), context);
    for (const auto &[key, value] : app.parameters) generator->set_generatorparam_value(key, value);
    return generator->build_pipeline();
}

class AppsOnGpu : public ::testing::TestWithParam<apps::AppDescription> {};

TEST_P(AppsOnGpu, AreScheduledForOpenCl) {
    const Halide::Target target("x86-64-linux-avx2-fma-f16c-sse41-avx-opencl");
    const Halide::Pipeline pipeline = pipeline_of(GetParam(), target);
    std::vector<Halide::Internal::Function> outputs;
    for (const Halide::Func &f : pipeline.outputs()) outputs.push_back(f.function());
    const auto built = build_graph(outputs, target);
    ASSERT_TRUE(built.ok()) << built.error().message;

    const TargetGpu gpu = gpu_of_target(target, "auto", 0);
    const Machine host = *machine_preset("x86-avx2");
    const StrategyResult found = auto_gpu_schedule(built->graph, gpu.device, host);
    EXPECT_TRUE(found.nest.complete());
    EXPECT_EQ(validate(found.nest), "");
    EXPECT_FALSE(gpu_kernels_of(found.nest).empty());
    EXPECT_GT(found.report.stages_as_planned + found.report.stages_adapted, 0u);
    const auto fault = find_kernel_fault(found.nest, launch_limits(gpu.device));
    EXPECT_FALSE(fault) << fault->text;
    const gpu::GpuScheduleTime time = gpu::predict(found.nest, gpu.device, host);
    EXPECT_TRUE(std::isfinite(time.seconds) && time.seconds > 0) << time.seconds;
    EXPECT_FALSE(time.too_large);
    EXPECT_EQ(what_halide_refuses(pipeline, *built, found.nest, target, host), "");
}

INSTANTIATE_TEST_SUITE_P(, AppsOnGpu, ::testing::ValuesIn(apps::app_list()),
                         [](const auto &info) { return info.param.name; });

}  // namespace
}  // namespace cryolite
