// The raw terms of one stage of a kernel: its counts (stage_in_kernel.h) at the GPU's speeds.
#pragma once

#include "analytical/gpu/stage_in_kernel.h"
#include "analytical/stage_time.h"

namespace cryolite::gpu {

// Terms over one run of the whole pipeline. Launches and starts of blocks belong to the stage that has the blocks.
StageTerms stage_terms(const StageInKernel &work, const GpuDevice &device);

// Cycles of a multiprocessor in which every lane of a warp computes one point.
double warp_cycles(const OpHistogram &operations, const GpuSpeeds &speeds);

inline OverlapRule overlap_rule(const GpuSpeeds &speeds) {
    return {speeds.exposed_share, speeds.exposed_share, speeds.overlap_sharpness};
}

}  // namespace cryolite::gpu
