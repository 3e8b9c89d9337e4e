// Loops over a whole dimension that may be unrolled though they are not split. Halide unrolls a loop if it can show
// that the extent is at most a constant. It puts a guard around each copy unless the extent equals the constant. Any
// other loop is an error when Halide compiles. The rows of a Func inside a tile of its reader are such a loop. Loops
// that a predicate depends on are never split, so they can be unrolled in no other way.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether the loop walks the part of a companion that the leader's splits leave (action::ComputeWith); or a whole
// dimension, of which one tile of the reader needs exactly the loop's extent. At the image's ends the tile may need
// less, but at no size more. The reader must be the only stage that reads the Func.
bool is_whole_of_tile(const LoopNest &nest, LoopName loop);

// Whether unrolled copies of such a loop each stand under a condition of their own: a predicate depends on the loop.
bool is_conditional(const StageLoop &loop);

}  // namespace cryolite
