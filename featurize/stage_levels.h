// Where in the stack of loops around a stage the levels of interest lie. A position p stands for one
// run of stack loop p, which is one iteration of stack loop p - 1; 0 is the whole kernel and
// stack.size() one iteration of the innermost loop.
#pragma once

#include "featurize/kernel_work.h"

namespace cryolite {

struct StageLevels {
    size_t innermost = 0;       // one iteration of the innermost loop
    size_t vector = 0;          // one run of the vectorised loop
    size_t register_block = 0;  // of the innermost vectorised and unrolled loops
    size_t innermost_run = 0;  // of the innermost loop with more than one iteration that is neither
    size_t production = 0;
    size_t realisation = 0;
    size_t task = 0;
};

StageLevels stage_levels(const StageWork &work, const Member &member);

}  // namespace cryolite
