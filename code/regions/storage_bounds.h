// How long the sides of a Func that is computed inside a loop can get, at any size of the image.
//
// Halide sizes storage by the needs of each iteration. At the image's ends an iteration may need less. So the strides
// are variables, and sums of several rows go to memory and back. Given a bound (Func::bound_storage), Halide allocates
// as much as the bound, with constant strides.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// Per dimension of `f`, if it were computed at `site`: the most points that are needed there. 0: the number depends on
// a size, or is not known to be bounded. All readers of f must be decided.
//
// A bound needs readers that are the site's own stage, or Funcs that are inlined, or computed and stored at the site.
// In the shared memory of a GPU's block readers may also be computed in the site's stage, further inside. The box of
// such a reader is followed to the site's stage. The splits of such a reader's loops do not decide whether a side is
// bounded. They do change the bound if they round up.
SideBounds storage_bounds(const LoopNest &nest, FuncId f, LoopName site);

// Whether the stage touches its own Func only at the point of its own loops in dimension `dim`. Then it does not
// lengthen the box.
bool stays_in_place(const StageGraph &graph, const Stage &stage, size_t dim);

// The bounds of the storage of `f` where it is placed now: storage_bounds(), rounded up as f's own loops do.
SideBounds rounded_storage_bounds(const LoopNest &nest, FuncId f);

}  // namespace cryolite
