// What the control of a stage costs: its loops, and the branches on its predicate.
#pragma once

#include "code/kernel/constant_sides.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Cycles of one realisation's loops. A loop costs cycles per iteration, and each entry also a mispredicted exit. Of a
// constant range nothing is computed anew for a realisation, and a loop of one iteration is none. Loops inside those
// that the predicate depends on run where it lets them.
double loop_cycles(const Machine &machine, const StageGraph &graph, const StageNest &nest,
                   const ConstantSides &sides);

// Mean cycles of a branch on the stage's conditions on loaded values, beside its test. The core foretells the likelier
// outcome, so the other one costs a misprediction, unless the core has learned the outcomes by heart.
double surprise_cycles(const Machine &machine, const StageGraph &graph, const Stage &stage);

// Cycles of the branches that decide in one realisation which iterations run. A test costs as much as the end of a
// loop's iteration: a comparison and a branch.
struct ConditionCycles {
    double tests = 0;  // a core does them beside what the bodies do
    double surprises = 0;
};
ConditionCycles condition_cycles(const Machine &machine, const StageGraph &graph,
                                 const StageNest &nest);

}  // namespace cryolite
