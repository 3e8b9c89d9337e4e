// A group of Funcs as one CUDA kernel: where each is computed, and which loops are blocks and
// threads (thesis, sections 6.3 and 6.4). The loop nest is reuse/tiled_nest.h's: innermost the
// serial loops, then the loops inside a tile, which are threads (x first), then those between
// tiles, blocks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "featurize/thesis/equations.h"
#include "machine/gpu_device.h"
#include "reference/reuse/overlap.h"
#include "reference/reuse/tiled_nest.h"

namespace cryolite::gpu {

struct AutoGpuOptions {
    // Loops shorter than this are not tiled, unless a stage has no others.
    int64_t few_iterations = 64;
    double occupancy_threshold = 0.1;  // OCCUPANCY_THRESHOLD of listing 6.1
    // The most that one global transaction brings, in bytes: the cap on what coalescing gains.
    double transaction_bytes = 128;
    double global_transaction = thesis::TransactionCosts{}.global;
    double shared_transaction = thesis::TransactionCosts{}.shared;
    // Nested fusion keeps its values in registers: half of the 64 that a thread has.
    int64_t nested_bytes_per_thread = 128;
};

enum class Site : uint8_t {
    Inline,
    Shared,  // at the block level of the output, in shared memory
    Nested,  // inside a loop of one of its readers, in registers (nested fusion)
};

struct MemberSite {
    Site site = Site::Inline;
    // Nested: the stage and its loop (index into Stage::loops) in whose body the member is
    // computed.
    StageId inside;
    int loop = -1;
    bool operator==(const MemberSite &) const = default;
};

struct GroupShape {
    reuse::TiledNest nest;          // of the driving stage
    std::vector<int> thread_loops;  // of the driving stage: threads x, y, z; the blocks' too
};

// The nest with untiled loops, and the loops to be tiled: up to three pure loops of at least
// few_iterations, the longest ones, or the longest of all if none is; least stride is thread x.
GroupShape shape_of(const StageGraph &graph, StageId driver, const AutoGpuOptions &options);

// T_min and T_max of section 6.4 for a loop of so many iterations, where `tiled_loops` are tiled;
// both at least 1 and no more than the extent (the formulas cross below 4 iterations).
struct TileBounds {
    int64_t least = 1, most = 1;
};
TileBounds tile_bounds(int64_t extent, size_t tiled_loops);

// Which dimension of a Func each thread dimension walks, -1: none. Those that move with the
// output's thread loops; a Func that no thread loop moves shares its longest dimension among
// threads x.
std::array<int, 3> thread_dims(const Func &func, const reuse::MemberOverlaps &overlaps,
                               const GroupShape &shape, const Box &box);

}  // namespace cryolite::gpu
