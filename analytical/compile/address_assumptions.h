// What LLVM has to assume about the addresses of a loop, and how many assumptions it collects.
//
// To find out whether the accesses of an innermost loop may meet, LLVM tells their arrays apart by name. Beyond a
// number of accesses it gives up on names and compares addresses. For each address whose step is not the size of its
// access it then has to assume that it does not wrap around. All that it knows of addresses is derived anew after each
// assumption, so the seconds grow with about the cube of their number: LLVM 20 and 21, LoopLoadElimination
// (bench/results/compile.md).
#pragma once

#include <span>

#include "code/stage/expanded_stage.h"
#include "code/stage/inner_loops.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// The assumptions over the loads and stores of the stage's body with its unrolled copies. 0 if the accesses are few; if
// one of them does not move evenly with the innermost loop, since then LLVM gives up; and if loops of another Func
// stand inside that loop. expanded, in: of the stage. members: of the kernel.
double address_assumptions(const LoopNest &nest, StageId stage, const ExpandedStage &expanded,
                           const InnerLoops &in, const Machine &machine, StageExpander &expander,
                           std::span<const FuncId> members);

}  // namespace cryolite
