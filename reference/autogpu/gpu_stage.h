// One stage's loops as blocks, threads and serial loops, spelled out as actions.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite::strategies {

struct ThreadLoop {
    int loop = 0;      // index into Stage::loops, a pure loop
    int64_t tile = 1;  // threads; no more than the loop has points at the estimates
};

struct GpuStageShape {
    std::vector<ThreadLoop> threads;  // x first, at most three
    // Blocks are made of the same loops. Otherwise the stage is at the block level of another.
    bool has_blocks = true;
    // The other pure loops: no more of them in one block than at the estimates, so that what is
    // computed in the kernel is bounded at every size.
    bool bounds_others = false;
    std::set<int> keep_serial;  // loops that something will be computed in
};

// Adds to `nest`, and to nothing if part of it is refused (false). Order, from the outside: loops
// around the kernel; blocks; threads; the other loops as the algorithm has them, the innermost short
// ones of constant extent unrolled (thesis, section 6.4).
bool map_stage(LoopNest &nest, StageId stage, const GpuStageShape &shape);

// The pure loops of a stage that may be threads, the longest first.
std::vector<int> mappable_loops(const LoopNest &nest, StageId stage);

// Of a kernel that no plan has sized: the one loop there is, or a tile of the two longest. Empty if
// there is none.
std::vector<ThreadLoop> default_threads(const LoopNest &nest, StageId stage);

}  // namespace cryolite::strategies
