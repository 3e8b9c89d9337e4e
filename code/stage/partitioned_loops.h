// Which loops Halide must not partition.
//
// A boundary condition clamps an index near the image's border. There the index is no longer a ramp, and a vector load
// becomes a gather. So Halide cuts a loop into two ends and a middle without clamps. But in the ends of an outer loop
// it cuts no inner loop. Then all vectors of the first and last tiles or strips are slow. If Halide leaves the outer
// loops alone, it cuts the innermost one. Then only the first and last vectors of each row are slow. A Func that is
// computed in tiles of one vector has no such loop of its own. There it is the readers' loop that moves the tile.
//
// Sums under conditions live in registers only if the compiler sees through all uses of their memory. Partitioning
// copies the loops around such a sum, with one memory for all copies. Those are too many uses.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// Two kinds of loops, in any order: loops around the innermost loop along vectors that move a clamped index, and loops
// around sums under conditions. The first kind never stands in a GPU's kernel, which has no vectors.
std::vector<LoopName> loops_not_to_partition(const LoopNest &nest);

}  // namespace cryolite
