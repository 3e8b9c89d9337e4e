// What one block of a kernel does for one stage: the counts of a GPU's terms. A row of features has them too.
#pragma once

#include <array>

#include "featurize/gpu/access.h"

namespace cryolite {

struct GpuCounts {
    double blocks = 1;             // of a launch
    double points_per_thread = 1;  // iterations of the serial and unrolled loops
    double threads = 1;            // of a block that compute the stage
    double warps = 1;              // of a block
    double active_warps = 1;       // of these, the ones with a thread that computes the stage
    // Of a block, by GpuMemory. Registers have no traffic.
    std::array<WarpTraffic, num_gpu_memories> loads, stores;
    GpuFootprint read_by_block;  // of global memory
    double local_bytes = 0;      // of local memory that a block loads and stores
    // Of a thread. A load that copies share counts once.
    double global_loads = 0, shared_loads = 0;
};

GpuCounts gpu_counts(const GpuMapping &mapping);

// Iterations of all loops of a role.
double iterations(const GpuMapping &mapping, GpuLoopRole role);

}  // namespace cryolite
