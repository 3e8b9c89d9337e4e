// The plain schedule's choices for one Func. The plain schedule consists of them; other schedules start there.
#pragma once

#include "machine/hardware.h"
#include "search/space/tiling_template.h"

namespace cryolite {

// A stage whose loops have fewer points than this is not worth starting threads for.
inline constexpr double parallel_threshold_points = 2048;

// Vectors along the innermost dimension of storage, threads along the outermost loop. A Func with only one long
// dimension is cut into a few tasks per core.
TilingTemplate plain_template(const LoopNest &nest, const Func &func, const Machine &machine);

// Whether the search shapes loops of the Func: it is placed, not inlined, and not left as it is.
bool has_own_loops(const LoopNest &nest, const Func &func);

// The actions that give every stage of the Func the shape, as far as the stage can take it.
std::vector<Action> loops_of(const LoopNest &nest, const Func &func, const TilingTemplate &shape);

// Decides the Func as the plain schedule does, if its readers are decided.
void decide_plainly(LoopNest &nest, const Func &func, Hardware hardware);

// The plain loops of all stages of a Func that is placed. On a GPU they are blocks and threads.
std::vector<Action> plain_loops(const LoopNest &nest, const Func &func, Hardware hardware);

}  // namespace cryolite
