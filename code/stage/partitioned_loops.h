// Which loops Halide must not partition. Near an image's border an index that a boundary condition
// clamps is no longer a ramp, and a vector load becomes a gather. Halide therefore cuts a loop into its
// ends and a middle without clamps; but in the ends of an outer loop it cuts no inner one, so that all
// vectors of the first and last tiles or strips are slow. Told to leave the outer loops alone, it cuts
// the innermost one, and only the first and last vectors of rows are.
//
// Sums under conditions live in registers only where the compiler sees through all uses of their
// memory, of which several copies of the loops around, with one memory for all, are too many.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// Loops around another one along which a clamped index moves with vectors, and loops around sums under
// conditions. In any order.
// None is of a kernel: it has no vectors, and its threads stand side by side.
std::vector<LoopName> loops_not_to_partition(const LoopNest &nest);

}  // namespace cryolite
