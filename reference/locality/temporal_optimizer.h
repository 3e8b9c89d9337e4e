// Algorithm 2 of the thesis: the tile sizes and the loop order that let L1 and L2 reuse the most.
//
// All tile sizes (tile_sizes.h) are tried with all orders. Of an order, the misses know two loops
// only: the outermost of the tile, where L1 reuses, and the innermost between tiles, where L2 does;
// so every pair of these is tried, and among the orders that have the best pair the second step
// picks the one of the least loop distance. A tile counts if
// - what L1 and L2 must keep fits (usable_bytes),
// - algorithm 1 allows it: of the intra-tile loops from the inside out, the second is bounded by
//   L1, the third by L2, each on the rows of all arrays that it walks (the print passes one array's
//   row length; in its example that of the loop before). Further loops are bounded by the problem
//   alone.
// - the outermost inter-tile loop feeds all threads (4.13). Where no loop is long enough for that,
//   the longest that may run in parallel has to be in tiles of one.
#pragma once

#include "reference/locality/locality_plan.h"

namespace cryolite::locality {

// Errors: a nest or a machine that is not sound (defect_of), and a nest no tile of which fits.
Result<LocalityPlan> optimize_temporal(const PerfectNest &nest, const Machine &machine);

}  // namespace cryolite::locality
