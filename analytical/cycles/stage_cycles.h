// Core-bound time of a stage: the cycles of arithmetic, of waiting for results, of loads and stores that hit L1, of
// shuffles and gathers, and of the loops themselves.
#pragma once

#include "analytical/cycles/instructions_between.h"
#include "code/kernel/kernel_storage.h"
#include "code/stage/expanded_stage.h"
#include "machine/machine.h"

namespace cryolite {

// Cycles over one realisation of the stage's Func on one core, by kind of work. They are raw: no resource hides another
// yet (overlap.h).
struct StageCycles {
    double arithmetic = 0, dependence = 0;
    double loads = 0, stores = 0, spills = 0;  // served by L1
    double loops = 0;
    double memory_operations() const { return loads + stores + spills; }

    double copies = 1;           // of the body, by unrolling
    double code_operations = 0;  // operations that the compiler gets, in all copies
};

// code: of a stage of the schedule. storage: of the stage's kernel. between: what other stages do between two runs of
// the body.
StageCycles stage_cycles(const LoopNest &schedule, const Machine &machine, const StageCode &code,
                         const KernelStorage &storage, const OtherStages &between = {});

}  // namespace cryolite
