// Loops over a region that a boundary condition clamps, with something computed around them.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether `f`, computed at the loop, would have Halide ask for more of what f reads than there is.
//
// Of a Func that is computed in tiles and read through a clamp, both ends of a tile's region move, and each
// stops at the image's end. What is computed outside of a loop over all of such a side needs, in all tiles
// together, what lies between the first tile's beginning and the last one's end; Halide (21) takes the
// last beginning plus the longest extent, in some forms of the reads and not in others. An input is then
// refused as too small, a Func at root computed beyond its end. A side that is split is bounded well.
bool overreaches_clamped_loop(const LoopNest &nest, const Func &f, LoopName site);

}  // namespace cryolite
