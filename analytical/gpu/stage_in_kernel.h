// What a stage of a kernel does on a GPU, counted: its features, its operations, and the bytes that come
// from memory rather than from L2. No times.
#pragma once

#include <vector>

#include "analytical/gpu/device.h"
#include "analytical/gpu/occupancy.h"
#include "featurize/features.h"
#include "featurize/stage_mapping.h"

namespace cryolite::gpu {

struct StageInKernel {
    StageId stage;
    GpuKernel kernel;
    double launches = 1;
    Occupancy occupancy;            // blocks_per_sm 0: the kernel cannot be launched
    int registers = 0;              // that a thread would have, were there no limit
    OpHistogram operations;         // per point
    double copies = 1;              // of the body, unrolled
    double global_loads = 0;        // of a thread; those that copies share once
    double l2_bytes_per_block = 0;  // read, whole sectors; L1 keeps them for the block
    // Of one launch.
    double memory_bytes_read = 0, memory_bytes_written = 0;
    FeatureRow row{};  // those of the algorithm, of any target, and of a GPU
};

// Of all stages in kernels; `rows`: the features of the nest, whatever the machine. A stage that `rows`
// has nothing of (too large) is left out.
//
// Registers: what is kept in threads, and `base_registers` for indices and intermediate values. Memory: of
// what is read, everything once in a launch, as long as the blocks that run at once keep in L2 what they
// share; nothing of what an earlier stage has left in L2 (up to half of it).
std::vector<StageInKernel> stages_in_kernels(const LoopNest &nest, const GpuDevice &device,
                                             const Features &rows, StageExpander &expander);

}  // namespace cryolite::gpu
