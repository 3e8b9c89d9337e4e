// The cache lines that a stage touches of one Func, as a simulator counts them: slower to tell than
// bytes, and no feature.
#pragma once

#include "featurize/stage_work.h"

namespace cryolite {

// By a run over `ranges` of the stage's loops that reads or, if `stores`, writes `box` of the producer,
// whose storage holds `stored`, laid out as `layout` says: by vectors where they are (touched_lines);
// loads at indices that move apart are boxes of their own.
TouchedLines stage_lines(const Machine &machine, const StageWork &work, FuncId producer,
                         const Layout &layout, bool stores, const Intervals &ranges, const Box &box,
                         const Box &stored);

// Loads of the producer by one point of the body, at least 1.
double loads_of(const ExpandedStage &body, FuncId producer);

}  // namespace cryolite
