// What it costs to find the pages that loads walk over. A core remembers where a few dozen pages are (its first-level
// table). A walk over more of them, row by row or down a column of a matrix, asks the second-level table for each.
#pragma once

#include "code/stage/inner_loops.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Pages that a load asks the second-level table for, per body of the stage, on average. 0 if the pages of all loops of
// the stage are remembered. Pages that the operating system makes larger than Machine::page_bytes are not foreseen.
double pages_asked_for(const Machine &machine, const LoopNest &schedule, const LoadGroup &load,
                       const InnerLoops &in);

}  // namespace cryolite
