// How long the sides of a Func that is computed inside a loop can ever get, at any size of the image.
// Halide sizes storage by what is needed in the loop's iteration at hand, which at the image's ends may
// be less: strides then are variables, and sums of several rows go to memory and back. Told of a bound
// (Func::bound_storage), it allocates that, with constant strides.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// Per dimension of `f`, if it were computed at `site`: the most points that are needed there; 0 where
// that depends on a size, or is not known to be bounded. All readers of f must be decided. Readers are
// stages of the site, or on the host also Funcs that are inlined or computed and stored at the site: their
// own boxes are followed to the site's stage. Whether a side is bounded does not depend on how the loops
// of such readers are split; how many points that are does, where they round up.
SideBounds storage_bounds(const LoopNest &nest, FuncId f, LoopName site);

// An update that touches only the point of its own loops in dimension `dim`: it adds nothing to what
// is needed.
bool stays_in_place(const StageGraph &graph, const Stage &stage, size_t dim);

// The bounds of what is stored, where f's own loops round up, with all readers' loops as they are now.
SideBounds rounded_storage_bounds(const LoopNest &nest, FuncId f);

}  // namespace cryolite
