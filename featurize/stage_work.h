// What a stage touches inside each loop around it.
#pragma once

#include <vector>

#include "base/small_vector.h"
#include "code/kernel/stage_code.h"
#include "featurize/footprint.h"

namespace cryolite {

// The memory of one Func that one run of a loop touches.
struct Touched {
    double bytes = 0;         // whole cache lines
    double unique_bytes = 0;  // an upper bound of the distinct points
    // Whole cache lines with the rows that the loads skip. Such rows must stay in the cache for a load to find what
    // another load has brought.
    double span_bytes = 0;
    double occupied = 0;  // bytes of a private cache, with the sets that rows compete for
    double streams = 1;   // runs of consecutive memory
};

// [p]: what one run of stack loop p touches. [n], after the innermost loop: what one of its iterations touches.
using TouchedByRun = SmallVector<Touched, 12>;

// The lines that one run touches, and how they share the sets of each cache.
struct TouchedLines {
    double lines = 0;
    std::vector<SetLoads> set_loads;  // [cache]
};

struct Accesses {
    FuncId producer;
    TouchedByRun touched;
    std::vector<TouchedLines> lines;  // [p], as `touched`; empty unless lines are counted
};

struct StageWork {
    const StageCode *code = nullptr;
    std::vector<Accesses> reads;
    Accesses stores;  // to its own Func
};

}  // namespace cryolite
