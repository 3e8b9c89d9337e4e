// A stage with the loops around it, and what it touches inside each of them.
#pragma once

#include <vector>

#include "base/small_vector.h"
#include "featurize/footprint.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// One loop around a stage, its own or of a Func that it is computed in.
struct StackLoop {
    int id = 0;         // dense over the kernel
    double extent = 1;  // iterations of one run, in mid-range
    LoopKind kind = LoopKind::Serial;
    double fill = 1;  // runs have so many times more iterations on average: see Member
    double iterations() const { return extent * fill; }
};
using LoopStack = SmallVector<StackLoop, 12>;

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
    const Stage *stage = nullptr;
    const StageNest *nest = nullptr;
    const ExpandedStage *body = nullptr;
    LoopStack stack;
    size_t enclosing = 0;       // loops of other Funcs
    bool holds_others = false;  // another Func is computed or stored inside its loops
    // [p]: how often loop p is run in all; [n]: iterations of the innermost.
    SmallVector<double, 13> runs;
    std::vector<Accesses> reads;
    Accesses stores;  // its own Func
};

}  // namespace cryolite
