// Loops over a whole dimension that may be unrolled though they are not split. Halide unrolls a loop if
// it can show that its extent is at most a constant, with a guard around each copy unless it is just
// that; of any other it says no when it compiles. The rows of a Func inside a tile of its reader are
// such a loop. For loops that a predicate depends on, which are never split, there is no other way.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether the loop is over a whole dimension of which one tile of the only stage that reads the Func needs
// so many points away from the image's ends, and never more, at any size.
bool is_whole_of_tile(const LoopNest &nest, LoopName loop);

// Of such a loop whose copies stand each under a condition of its own: one that a predicate depends on.
bool is_conditional(const StageLoop &loop);

}  // namespace cryolite
