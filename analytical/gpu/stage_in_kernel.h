// Counts of what a stage does in its GPU kernel: transactions, operations, and the bytes that come from memory rather
// than from L2. No times.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analytical/gpu/occupancy.h"
#include "featurize/features.h"
#include "featurize/gpu/counts.h"
#include "featurize/gpu/stage_mapping.h"

namespace cryolite::gpu {

struct StageInKernel {
    StageId stage;
    GpuKernel kernel;
    GpuCounts counts;
    double launches = 1;
    Occupancy occupancy;  // blocks_per_sm 0: the kernel cannot be launched
    int registers = 0;    // per thread, if there were no limit
    // Per point of a thread. Copies of an unrolled body share operations, and drop those that they do not need.
    OpHistogram operations;
    // Instructions that compute addresses, per point of a thread. Halide cuts off no ends of a GPU's loops, so that a
    // clamped index is clamped for each load.
    double index_instructions = 0;
    // Instructions that find where a production of a Func at the block level begins and ends. Every thread runs them.
    double bounds_instructions = 0;
    double productions = 1;         // in a block
    double copies = 1;              // of the body, by unrolling
    double code_operations = 0;     // operations and loads of all copies
    double l2_bytes_per_block = 0;  // read, in whole sectors; L1 keeps them for the block
    // Per launch.
    double memory_bytes_read = 0, memory_bytes_written = 0;
    // Features of the algorithm, of any target, and of a GPU; 0 for those of a CPU. Only if asked for.
    std::optional<FeatureRow> row;
};

// nullopt: the stage runs on the host. kernels: with that of the stage. row: the stage's features, for any machine;
// empty: no row is wanted.
//
// Registers of a thread: the values stored in threads, half of what the copies of the body load, since the compiler
// begins loads together, and `base_registers` for indices and intermediate values.
//
// Reads from memory: a launch reads everything once, if L2 can hold what the blocks that run at once read, which is at
// most what the launch reads. Otherwise
// each block reads its own share anew. A Func that is no input is not read from memory if it takes at most the share
// `kept_l2_share` of L2: its producer has left it there.
std::optional<StageInKernel> stage_in_kernel(const LoopNest &nest, const GpuDevice &device,
                                             StageExpander &expander, StageId stage,
                                             std::span<const GpuKernel> kernels,
                                             std::span<const double> row = {});

}  // namespace cryolite::gpu
