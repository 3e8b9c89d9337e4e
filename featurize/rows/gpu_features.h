// The GPU's part of a row: appendix A of Anderson et al. (OOPSLA 2021) and listing 6.1 of the thesis, from a mapping
// and from the occupancy of its kernel.
#pragma once

#include <span>

#include "featurize/gpu/mapping.h"
#include "featurize/schema.h"

namespace cryolite {

// A kernel on a device. Numbers are per multiprocessor unless their comments say otherwise.
struct GpuOccupancy {
    double multiprocessors = 1;             // of the device
    double thread_limit = 1024;             // threads of a block that the hardware allows
    double active_blocks = 1;               // resident at once, by all limits
    double active_blocks_by_shared = 1;     // by shared memory alone
    double block_limit = 1;                 // of the hardware
    double active_warps = 1;                // resident at once
    double warp_limit = 1;                  // of the hardware
    double shared_limit_bytes = 48 * 1024;  // of shared memory per block
};

// Fills the features of target Gpu. row.size() == num_features. The mapping must be valid. The row must have the
// operations of a point already (expanded_add_integer and so on): group_arithmetic is made of them.
void gpu_features(const GpuMapping &mapping, const GpuOccupancy &occupancy, std::span<double> row);

}  // namespace cryolite
