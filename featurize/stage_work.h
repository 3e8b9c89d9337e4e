// What a stage touches inside each of the loops around it.
#pragma once

#include <vector>

#include "base/small_vector.h"
#include "code/kernel/stage_code.h"
#include "featurize/footprint.h"

namespace cryolite {

// What one run of a loop touches of one Func.
struct Touched {
    double bytes = 0;         // of whole cache lines
    double unique_bytes = 0;  // of distinct points, at most
    // Likewise with the rows that its loads skip, and that must stay for one to find what another brought.
    double span_bytes = 0;
    double occupied = 0;  // by those of a private cache, with the sets that rows compete for
    double streams = 1;   // runs of consecutive memory
};

// By a position p in the stack of loops: by one run of loop p; [n]: by one iteration of the innermost.
using TouchedByRun = SmallVector<Touched, 12>;

// The same in lines, and how they share the sets of each cache.
struct TouchedLines {
    double lines = 0;
    std::vector<SetLoads> set_loads;  // [cache]
};

struct Accesses {
    FuncId producer;
    TouchedByRun touched;
    std::vector<TouchedLines> lines;  // likewise; only where they are asked for
};

struct StageWork {
    const StageCode *code = nullptr;
    std::vector<Accesses> reads;
    Accesses stores;  // its own Func
};

}  // namespace cryolite
