// Counts of what a tile kernel for tensor cores does (action::TensorTile): the same quantities that StageInKernel has
// of ordinary stages. They follow from the product's description and the tile, not from the loops of the nest. No
// times.
#pragma once

#include "analytical/gpu/occupancy.h"
#include "code/stage/expanded_stage.h"

namespace cryolite::gpu {

// What a block does to bring one operand to shared memory.
struct OperandWork {
    bool is_copied = false;       // in units of 16 bytes; otherwise element by element
    double elements = 0;          // per block, those outside of the operand included
    OpHistogram operations;       // per element, of Funcs that are inlined into the factor
    double lines_per_gather = 0;  // of L1, that 32 threads look up together
    double l2_bytes = 0;          // per block, of what the factor loads
    double memory_bytes = 0;      // per launch
};

struct TileKernelWork {
    tensorcore::KernelShape shape;
    Occupancy occupancy;  // blocks_per_sm 0: the kernel cannot be launched
    double blocks = 1;
    double chunks = 1;         // of the depth
    double multiply_adds = 0;  // per block, with what fills up the tile
    double roundings = 0;      // per block, of factors to tf32
    double shared_bytes_read = 0, shared_bytes_written = 0;  // per block
    OperandWork rows, columns;
    // Where the sums are finished, per block.
    double results = 0;                // points, with those outside of the result
    OpHistogram finishing_operations;  // per point
    bool finishing_loads = false;
    double l2_bytes_finishing = 0, l2_bytes_stored = 0;
    // The same per launch.
    double memory_bytes_finishing = 0, memory_bytes_stored = 0;

    // Whether copies go on in the background, so that `stages` - 1 chunks are on their way at once.
    bool is_pipelined() const {
        return shape.copies_asynchronously() && rows.is_copied && columns.is_copied;
    }
};

// lead: a stage with a tile kernel. The Func of the product may be undecided.
//
// Bytes from memory: neighbouring blocks share rows, and the blocks that run at once walk the depth in step. So a round
// of blocks reads each of its rows and columns once. All is read once, if L2 can hold both operands. Results that L2
// keeps for the next kernel count as for ordinary stages (stage_in_kernel.h).
TileKernelWork tile_kernel_work(const LoopNest &nest, StageId lead, const GpuDevice &device,
                                StageExpander &expander);

}  // namespace cryolite::gpu
