// How often the body of a stage runs in one production: whole, and for ends of rows that fill no whole vector.
#pragma once

#include "code/kernel/stage_code.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct BodyRuns {
    double whole = 0;
    double ending = 0;          // with masks
    bool all_rows_end = false;  // and not only those of some productions
};

// On average over all productions.
BodyRuns body_runs(const LoopNest &schedule, const StageCode &code);

}  // namespace cryolite
