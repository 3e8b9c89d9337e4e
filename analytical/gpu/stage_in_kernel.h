// Counts of what a stage does in its GPU kernel: features, operations, and the bytes that come from memory rather than
// from L2. No times.
#pragma once

#include <vector>

#include "machine/gpu_device.h"
#include "analytical/gpu/occupancy.h"
#include "featurize/features.h"
#include "featurize/stage_mapping.h"

namespace cryolite::gpu {

struct StageInKernel {
    StageId stage;
    GpuKernel kernel;
    double launches = 1;
    Occupancy occupancy;            // blocks_per_sm 0: the kernel cannot be launched
    int registers = 0;              // per thread, if there were no limit
    OpHistogram operations;         // per point
    double copies = 1;              // of the body, by unrolling
    double global_loads = 0;        // per thread; a load that copies share counts once
    double l2_bytes_per_block = 0;  // read, in whole sectors; L1 keeps them for the block
    // Per launch.
    double memory_bytes_read = 0, memory_bytes_written = 0;
    FeatureRow
        row{};  // features of the algorithm, of any target, and of a GPU; 0 for those of a CPU
};

// All stages in kernels. rows: the features of the nest, for any machine. A stage without a row (too large) is left
// out.
//
// Registers of a thread: the values stored in threads, and `base_registers` for indices and intermediate values.
//
// Reads from memory: a launch reads everything once, if L2 can hold what the blocks that run at once read. Otherwise
// each block reads its own share anew. A Func that is no input is not read from memory if it takes at most the share
// `kept_l2_share` of L2: its producer has left it there.
std::vector<StageInKernel> stages_in_kernels(const LoopNest &nest, const GpuDevice &device,
                                             const Features &rows, StageExpander &expander);

}  // namespace cryolite::gpu
