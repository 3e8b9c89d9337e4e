// A schedule with GPU kernels in detail: the cost model's times of its stages, and what each stage does in its kernel.
// Copies of the pipeline's inputs to the device and of its outputs back are the caller's and do not count.
#pragma once

#include "analytical/cost_model.h"
#include "analytical/gpu/stage_in_kernel.h"

namespace cryolite::gpu {

struct GpuScheduleTime : ScheduleTime {
    std::vector<StageInKernel> in_kernels;  // the stages that run on the GPU, with their rows
    Features on_host;                       // of all stages, as the host would run them
};

// Predicts the time of the Funcs decided so far.
GpuScheduleTime predict(const LoopNest &nest, const GpuDevice &device, const Machine &host,
                        std::shared_ptr<const Correction> correction = nullptr);

}  // namespace cryolite::gpu
