// The cost of a schedule with GPU kernels, in seconds: the times of the stages in kernels, of the stages that stay on
// the host, and of the copies between host and device. Copies of the pipeline's inputs to the device and of its outputs
// back are the caller's and do not count.
#pragma once

#include "analytical/cost_model.h"
#include "analytical/gpu/stage_terms.h"
#include "machine/machine.h"

namespace cryolite::gpu {

struct GpuScheduleTime : ScheduleTime {     // peak_bytes: of all Funcs stored at root
    std::vector<StageInKernel> in_kernels;  // the stages that run on the GPU
    Features on_host;                       // of all stages, as the host would run them
};

// Predicts the time of the Funcs decided so far. `compiling` is not filled.
GpuScheduleTime predict(const LoopNest &nest, const GpuDevice &device, const Machine &host,
                        const Correction &correction = NoCorrection());

}  // namespace cryolite::gpu
