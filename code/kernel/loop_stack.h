// The loops around a stage: its own, and those of the Funcs that it is computed in.
#pragma once

#include "base/small_vector.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct StackLoop {
    int id = 0;         // dense over the kernel
    double extent = 1;  // iterations of one run, in mid-range
    LoopKind kind = LoopKind::Serial;
    double fill = 1;  // an average run has this many times the iterations; see Member::fill
    double iterations() const { return extent * fill; }
};

// Outermost first.
using LoopStack = SmallVector<StackLoop, 12>;

}  // namespace cryolite
