#include <algorithm>
#include <cmath>

#include "analytical/explain/explained_parts.h"
#include "analytical/gpu/schedule_time.h"

namespace cryolite {
namespace {

using gpu::gpu_cost_component_table;
using gpu::num_gpu_cost_components;

// Multiprocessors with something to do, on average until the last has ended.
double busy_multiprocessors(const gpu::StageInKernel &work, const gpu::GpuDevice &device) {
    const double blocks = work.row[index(Feature::num_blocks)];
    return blocks / std::ceil(blocks / device.sm_count);
}

ExplainedStage explained(const StageGraph &graph, const gpu::GpuStageTime &time) {
    ExplainedStage out;
    out.name = stage_name(graph, time.stage);
    out.seconds = time.seconds;
    out.dominating = largest(time.parts, gpu_cost_component_table());
    out.bound_by = name(time.bound_by);
    out.productions = time.launches;
    out.speedup = 1;
    for (size_t c = 0; c < num_gpu_cost_components; c++)
        out.terms.emplace_back(gpu_cost_component_table()[c].name, time.parts[c]);
    return out;
}

}  // namespace

Explanation explain(const gpu::GpuDevice &device, const Machine &host, const LoopNest &nest,
                    const ExplainedRun &run) {
    const gpu::GpuScheduleTime time = gpu::predict(nest, device, host);

    Explanation out = explained_schedule(nest, run);
    out.machine = device.name;
    Gpu described{device.name, device.limits, device.sm_count, device.speeds};
    out.constants = explained_constants(values_of(described));
    out.seconds = time.seconds;
    out.peak_bytes = time.peak_bytes;
    out.too_large = time.too_large;
    gpu::GpuCostBreakdown total{};
    for (const gpu::GpuStageTime &t : time.stages) {
        for (size_t c = 0; c < num_gpu_cost_components; c++) total[c] += t.parts[c];
        ExplainedStage stage = explained(nest.graph(), t);
        const auto work = std::ranges::find(time.in_kernels, t.stage, &gpu::StageInKernel::stage);
        if (work != time.in_kernels.end()) {
            stage.speedup = busy_multiprocessors(*work, device);
            stage.features = explained_features(work->row);
        } else {
            stage.features = explained_features(time.on_host.row(t.stage));
        }
        out.stages.push_back(std::move(stage));
    }
    for (size_t c = 0; c < num_gpu_cost_components; c++)
        out.terms.push_back(explained_term(gpu_cost_component_table()[c],
                                           constants_of(static_cast<gpu::GpuCostComponent>(c)),
                                           total[c]));
    out.dominating = largest(total, gpu_cost_component_table());
    return out;
}

}  // namespace cryolite
