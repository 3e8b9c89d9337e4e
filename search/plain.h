// The plain schedule's choices for one Func: what the plain schedule is made of, and where others begin.
#pragma once

#include "machine/machine.h"
#include "search/stage_plan.h"

namespace cryolite {

// Points of a stage's loops below which starting threads is not worth it.
inline constexpr double parallel_threshold_points = 2048;

// Vectors along the innermost dimension of storage, threads along the outermost; of a Func of one long
// dimension a few tasks per core.
TilingTemplate plain_template(const LoopNest &nest, const Func &func, const Machine &machine);

// Whether the Func has loops to shape: it is placed, not inlined, and not left as it is.
bool has_own_loops(const LoopNest &nest, const Func &func);

// Every stage with that shape, as far as it can take it.
LoopNest shaped(LoopNest nest, const Func &func, const TilingTemplate &shape);

// A Func that is placed, with plain loops; as it is where it has none to shape.
LoopNest with_plain_loops(LoopNest nest, const Func &func, const Machine &machine);

}  // namespace cryolite
