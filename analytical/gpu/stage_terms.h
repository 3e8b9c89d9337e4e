// The raw terms of one stage of a kernel: what it does (stage_in_kernel.h) at the GPU's speeds.
#pragma once

#include "analytical/gpu/stage_in_kernel.h"
#include "analytical/stage_time.h"

namespace cryolite::gpu {

// Of the whole pipeline's run. Launches and starts of blocks count with the stage whose blocks they are.
StageTerms stage_terms(const StageInKernel &work, const GpuDevice &device);

// Cycles of a multiprocessor for one point of each lane of a warp.
double warp_cycles(const OpHistogram &operations, const GpuSpeeds &speeds);

inline OverlapRule overlap_rule(const GpuSpeeds &speeds) {
    return {speeds.exposed_share, speeds.exposed_share, speeds.overlap_sharpness};
}

}  // namespace cryolite::gpu
