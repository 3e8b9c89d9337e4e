// The raw terms of a tile kernel for tensor cores: its counts (tile_kernel_work.h) at the GPU's speeds. They pass
// through the same correction and overlap as those of ordinary stages, so that the seconds compare.
#pragma once

#include "analytical/gpu/tile_kernel_work.h"
#include "analytical/stage_time.h"

namespace cryolite::gpu {

// Terms of one launch, of the lead. The other stages of the kernel have none.
StageTerms tile_kernel_terms(StageId lead, const TileKernelWork &work, const GpuDevice &device);

}  // namespace cryolite::gpu
