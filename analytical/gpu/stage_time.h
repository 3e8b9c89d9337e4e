// The seconds of one stage of a kernel: what it does (stage_in_kernel.h) at the GPU's speeds.
#pragma once

#include "analytical/gpu/cost_components.h"
#include "analytical/gpu/stage_in_kernel.h"

namespace cryolite::gpu {

struct GpuStageTime {
    StageId stage;
    double seconds = 0;        // of the whole pipeline's run
    GpuCostBreakdown parts{};  // of `seconds`, which they add up to (to rounding)
    GpuBoundBy bound_by = GpuBoundBy::Host;
    double launches = 1;  // of its kernel; of a stage on the host its productions
};

// Launches and starts of blocks count with the stage whose blocks they are.
GpuStageTime stage_time(const StageInKernel &work, const GpuDevice &device);

// Cycles of a multiprocessor for one point of each lane of a warp.
double warp_cycles(const OpHistogram &operations, const GpuSpeeds &speeds);

}  // namespace cryolite::gpu
