// Stages of a schedule with kernels as GpuMappings: which of the loops around a stage are blocks, threads
// and serial, and how the address of everything it reads and writes moves with them.
#pragma once

#include <optional>
#include <span>

#include "code/legality/gpu_kernels.h"
#include "code/stage/expanded_stage.h"
#include "featurize/gpu_mapping.h"

namespace cryolite {

// GpuAccess::buffer is the Func's id times this, plus which element of its tuple.
inline constexpr int buffers_per_func = 64;

struct MappedStage {
    GpuKernel kernel;  // that the stage is in
    GpuMapping mapping;
    double launches = 1;  // of the kernel: iterations of the loops around its blocks
};

// Of the stage at the estimates; nullopt if it runs on the host. Addresses are those of the block at the
// origin, as far as loops move them; storage at root starts at a multiple of 128 bytes. A Func that is
// stored in the kernel is moved by the loops around its storage just as what it holds, so that an access
// to it moves with the other loops alone. Indices are taken as affine where they are, clamps looked
// through; others are gathers.
std::optional<MappedStage> map_stage_to_gpu(const LoopNest &nest, StageExpander &expander,
                                            StageId stage, std::span<const GpuKernel> kernels);

}  // namespace cryolite
