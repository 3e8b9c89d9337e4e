#include <algorithm>
#include <cmath>

#include "analytical/explain/explained_parts.h"
#include "analytical/gpu/schedule_time.h"

namespace cryolite {
namespace {

// Mean number of busy multiprocessors until the last one has finished.
double busy_multiprocessors(const gpu::StageInKernel &work, const gpu::GpuDevice &device) {
    const double blocks = work.counts.blocks;
    return blocks / std::ceil(blocks / device.sm_count);
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
    for (const StageTime &t : time.stages) {
        const auto work = std::ranges::find(time.in_kernels, t.stage, &gpu::StageInKernel::stage);
        const bool on_host = work == time.in_kernels.end();
        out.stages.push_back(explained_stage(
            nest.graph(), t,
            on_host ? time.on_host.row(t.stage) : std::span<const double>(*work->row)));
        if (!on_host) out.stages.back().speedup = busy_multiprocessors(*work, device);
    }
    explain_roofline(out, roofline(nest.graph(), device));
    explain_terms(out, time.stages, TermTarget::Gpu, gpu_constants_of);
    return out;
}

}  // namespace cryolite
