// Makes GpuMappings of the stages of a schedule with kernels: the roles of the loops around a stage, and how the
// addresses of its reads and writes move with them.
#pragma once

#include <optional>
#include <span>

#include "code/legality/gpu_kernels.h"
#include "code/stage/expanded_stage.h"
#include "featurize/gpu/mapping.h"

namespace cryolite {

// GpuAccess::buffer is the Func's id times this, plus the index in the Func's tuple.
inline constexpr int buffers_per_func = 64;

struct MappedStage {
    GpuKernel kernel;  // the kernel that the stage is in
    GpuMapping mapping;
    double launches = 1;  // of the kernel: iterations of the loops around its blocks
};

// The mapping of a stage at the estimates; nullopt if the stage runs on the host. Addresses are those of the block at
// the origin, as far as loops move them. Storage at root starts at a multiple of 128 bytes. A Func stored in the kernel
// moves with the loops around its storage, and so do its values. Accesses to it move with the other loops alone.
// Indices count as affine where they are affine but for clamps. All others are gathers.
std::optional<MappedStage> map_stage_to_gpu(const LoopNest &nest, StageExpander &expander,
                                            StageId stage, std::span<const GpuKernel> kernels);

}  // namespace cryolite
