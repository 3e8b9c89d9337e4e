// Waits of a stage whose steps go on from earlier ones (graph/facts/recurrences.h): cumulative sums, recursive filters.
#pragma once

#include "code/kernel/constant_sides.h"
#include "code/kernel/known_addresses.h"
#include "code/kernel/stage_code.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct RecurrenceCycles {
    double waits = 0;
    double surprises = 0;  // branches that are foretold wrongly, where steps choose
};

// Cycles that one body waits for the bodies before it; none if the stage has no recurrence. instructions: of the body.
// - Each step takes a chain of dependent operations. What the loops inside of the steps compute is independent, so that
//   it fills the wait, as far as the core looks ahead. Unrolled steps with copies around them are long: the core sees
//   the steps of one or two copies at a time.
// - LLVM passes the value from one iteration to the next in a register, if the loop walks memory access by access and
//   has one step in each iteration. Otherwise it goes through memory from one body to the next. Unrolled steps pass it
//   on in registers, if the compiler can tell their addresses apart.
// - LLVM makes a branch of a selection among whole numbers that the next step waits for in a register. Nothing hides
//   what it costs to guess wrong.
// - Recurrences that follow each other, such as the rows of a picture, overlap as far as the core looks ahead.
// With Halide 21 on a Zen 4, a filter of one multiplication and one addition takes 4.6 cycles a step, 6.8 with 4 steps
// unrolled and 5.7 with 8. There a float waits 12 cycles more where it goes through memory.
RecurrenceCycles recurrence_cycles(const LoopNest &schedule, const Machine &machine,
                                   const StageCode &code, const KnownAddresses &known,
                                   const ConstantSides &sides, double instructions);

}  // namespace cryolite
