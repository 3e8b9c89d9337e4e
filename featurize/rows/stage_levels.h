// Positions in the stack of loops around a stage. Position p is one run of stack loop p, which is one iteration of
// stack loop p - 1. Position 0 is the whole kernel. Position stack.size() is one iteration of the innermost loop.
// docs/features.md explains the names.
#pragma once

#include "featurize/counts/kernel_work.h"

namespace cryolite {

struct StageLevels {
    size_t innermost = 0;       // one iteration of the innermost loop
    size_t vector = 0;          // one run of the vectorised loop
    size_t register_block = 0;  // one run of the innermost vectorised and unrolled loops
    size_t innermost_run = 0;   // one run of the innermost other loop with several iterations
    size_t production = 0;
    size_t realisation = 0;
    size_t task = 0;
};

StageLevels stage_levels(const StageWork &work, const Member &member);

}  // namespace cryolite
