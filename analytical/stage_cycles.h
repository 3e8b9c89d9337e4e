// Core-bound time of a stage: the cycles of arithmetic, of loads and stores that hit the first cache,
// of shuffles and gathers, and of the loops themselves.
#pragma once

#include "analytical/instructions_between.h"
#include "code/kernel/kernel_storage.h"
#include "code/stage/expanded_stage.h"
#include "machine/machine.h"

namespace cryolite {

// Cycles over one realisation of the stage's Func on one core, by what they are spent on. Raw: nothing is hidden
// behind anything yet.
struct StageCycles {
    double arithmetic = 0, dependence = 0;
    double loads = 0, stores = 0, spills = 0;  // that L1 serves
    double loops = 0;
    double memory_operations() const { return loads + stores + spills; }

    double copies = 1;           // of the body, by unrolling
    double code_operations = 0;  // in all copies: what the compiler is handed
};

// code: of a stage of the schedule. storage: of its kernel; without it nothing of it is known. between: what other
// stages do between runs of its body.
StageCycles stage_cycles(const LoopNest &schedule, const Machine &machine, const StageCode &code,
                         const KernelStorage &storage = {}, const OtherStages &between = {});

// Cycles of the operations of `ops` on one vector of `lanes` (1: scalar).
double arithmetic_cycles(const Machine &machine, const OpHistogram &ops, int lanes);

}  // namespace cryolite
