// The cost of a schedule with kernels, in seconds: the sum over the stages in kernels, over those that
// stay on the host, and over what is copied between the two. Pipeline inputs count as being on the
// device, outputs are not fetched: both are the caller's.
#pragma once

#include "analytical/cost_model.h"
#include "analytical/gpu/stage_terms.h"
#include "machine/machine.h"

namespace cryolite::gpu {

struct GpuScheduleTime : ScheduleTime {     // peak_bytes: of all that is stored at root
    std::vector<StageInKernel> in_kernels;  // what the stages on the GPU do
    Features on_host;                       // of all stages, as the host would run them
};

// Of the Funcs decided so far.
GpuScheduleTime predict(const LoopNest &nest, const GpuDevice &device, const Machine &host,
                        const Correction &correction = NoCorrection());

}  // namespace cryolite::gpu
