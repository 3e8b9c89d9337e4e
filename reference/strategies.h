// What the table of strategies is made of: one function per strategy.
#pragma once

#include "reference/strategy.h"

namespace cryolite::strategies {

// Chapter 4 is about one kernel. Here every stage of a Func that is not inlined is one, at root:
// Funcs that cost no more than reading them back are inlined (algorithm 5's trivial()), all others
// stored. A kernel with nothing to gain by tiles (Contiguous, Unoptimised) keeps its loops, as in
// figure 4.1; the others go to the optimiser that is asked for, whichever of the two the classes
// would pick. Where it has no tile for a kernel, the loops stay as they are. All are vectorised
// along the column and run in parallel as the plan says.
StrategyResult temporal_strategy(const StageGraph &graph, const Machine &machine);
StrategyResult spatial_strategy(const StageGraph &graph, const Machine &machine);

// Chapter 5 as reference/reuse/plan.h has it. Besides, as section 5.4 proposes, the innermost
// short reduction loops (kernels) are unrolled.
StrategyResult reuse_strategy(const StageGraph &graph, const Machine &machine);

}  // namespace cryolite::strategies
