// The cache lines that a stage touches of one Func, as a simulator counts them. They take longer to count than bytes,
// and are no features.
#pragma once

#include "featurize/stage_work.h"

namespace cryolite {

// The lines that one run over `ranges` of the stage's loops touches. It reads `box` of the producer, or writes it if
// `stores`. The producer's storage holds `stored`, in the order of `layout`. Vector accesses touch whole vectors
// (touched_lines). Loads whose indices move apart have boxes of their own.
TouchedLines stage_lines(const Machine &machine, const StageWork &work, FuncId producer,
                         const Layout &layout, bool stores, const Intervals &ranges, const Box &box,
                         const Box &stored);

// Loads of the producer for one point of the body, at least 1.
double loads_of(const ExpandedStage &body, FuncId producer);

}  // namespace cryolite
