// The perfect nest that a stage of a pipeline is, and the tiling that a schedule gives it.
//
// A stage reads what it loads and, where Funcs are inlined into it, what these load. Every tuple
// element is an array of its own. Arrays have the extents that are stored: a Func's allocation, or
// its whole region where it is at root, not yet decided or an input.
#pragma once

#include "code/stage/expanded_stage.h"
#include "graph/stage_graph.h"
#include "reference/locality/perfect_nest.h"
#include "schedule/loop_nest.h"

namespace cryolite::locality {

// The bounds are those of one realisation, or of the whole Func where it is inlined or not decided.
// Errors: inlining has multiplied the stage's loads beyond reason.
Result<PerfectNest> nest_of_stage(const LoopNest &nest, StageExpander &expander, StageId stage);

// The same with nothing inlined and everything at root.
Result<PerfectNest> nest_of_stage(const StageGraph &graph, StageId stage);

// The loops of a stage as they are scheduled. Tiles begin after the last loop of those that are
// split further, be it into tiles of tiles; a split that only makes vectors or unrolled copies is
// part of its loop. `nest` is that of the same stage in the same schedule.
Tiling tiling_of_stage(const PerfectNest &nest, const StageNest &scheduled);

}  // namespace cryolite::locality
