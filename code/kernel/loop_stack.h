// The loops around a stage's body: its own, and those of the Funcs in which it is computed.
#pragma once

#include "base/small_vector.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct StackLoop {
    int id = 0;         // unique in the kernel, from 0
    double extent = 1;  // iterations of one run, in mid-range
    LoopKind kind = LoopKind::Serial;
    double fill = 1;  // iterations of an average run over `extent`; see Member::fill
    double iterations() const { return extent * fill; }
};

// Outermost first.
using LoopStack = SmallVector<StackLoop, 12>;

}  // namespace cryolite
