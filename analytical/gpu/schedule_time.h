// The cost of a schedule with kernels, in seconds: the sum over the stages in kernels, over those that
// stay on the host, and over what is copied between the two. Pipeline inputs count as being on the
// device, outputs are not fetched: both are the caller's.
#pragma once

#include "analytical/gpu/stage_time.h"
#include "machine/machine.h"

namespace cryolite::gpu {

struct GpuScheduleTime {
    double seconds = 0;
    bool too_large = false;                 // inlining beyond reason: a stage has no time
    double peak_bytes = 0;                  // of all that is stored at root
    std::vector<GpuStageTime> stages;       // of all that is not inlined
    std::vector<StageInKernel> in_kernels;  // what those on the GPU do
    Features on_host;                       // of all stages, as the host would run them
};

// Of the Funcs decided so far.
GpuScheduleTime predict(const LoopNest &nest, const GpuDevice &device, const Machine &host);

}  // namespace cryolite::gpu
