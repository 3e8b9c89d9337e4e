// Algorithm 6 of the thesis: the loop order and tile sizes of a segment's output, with the levels
// that algorithms 4 and 5 give its stages for that order, at the least total cost.
#pragma once

#include <optional>
#include <vector>

#include "reference/reuse/segment_cost.h"

namespace cryolite::reuse {

struct TiledSegment {
    Segment segment;
    TiledNest nest;
    std::vector<StageLevels> levels;  // as Segment::members, and so are these
    std::vector<MemberOverlaps> overlaps;
    SegmentCost cost;
};

// The loop orders tried. Loops of few iterations innermost, in their own order; then every
// permutation of up to three tiled loops (the longest pure ones; the longest of all if none is
// long); then long reductions and what is beyond three, untiled; then every permutation of the
// loops between tiles. Reduction loops never change places with each other where one of them must
// not. Tiles are whole extents. The innermost loop in the tile that is neither a reduction nor of
// few iterations is vectorised, the outermost between tiles parallel (section "Final
// optimizations").
std::vector<TiledNest> loop_orders(const StageGraph &graph, StageId driver,
                                   const CacheBudget &machine, const Options &options);

// Tile sizes of one loop: every multiple of `multiple` up to 8 of them, then in steps of about an
// eighth to a quarter, those that divide the extent preferred; the extent itself always. All are at
// least `minimum` and at most `maximum`; empty if no size is.
std::vector<int64_t> tile_sizes(int64_t extent, int64_t multiple, int64_t minimum, int64_t maximum);

// The innermost loop's tile is a multiple of a cache line and of a vector, or all of a shorter
// loop.
int64_t innermost_multiple(const Func &output, const CacheBudget &machine);

// Nothing, if no tile meets the constraints:
//  - enough tiles for the threads along the parallel loop (5.14);
//  - tiles at least as long as the overlap (5.15) of every stage that is not inlined; where a stage
//    does not depend on a loop at all that is the whole loop, which then is not tiled;
//  - buffers that fit (segment_cost.h). The text tests the last level only once the cheapest
//    tile is found, and splits the pipeline; a smaller tile that fits comes first here.
// Where no order gives 5.14, a tile per iteration of a shorter parallel loop will do. A segment
// without stored members always gets a tile, parallel or not.
std::optional<TiledSegment> analyse_tiling(const StageGraph &graph, const Segment &segment,
                                           const CacheBudget &machine, const Options &options);

}  // namespace cryolite::reuse
