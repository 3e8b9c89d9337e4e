// What unrolling makes of a stage's body: copies, each of which may keep a part of it or stand under a
// condition.
#pragma once

#include "code/stage/expanded_stage.h"
#include "code/stage/inner_loops.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Share of the copies of one body that keep it where loops that decide about it are numbers in each. What
// all copies share is done if any of them keeps it.
double kept_of_copies(const Stage &stage, const Repeated &what, const InnerLoops &in);

// Of the operations and loads of all copies of the body, the share that the copies keep.
double kept_of_code(const Stage &stage, const ExpandedStage &body, const InnerLoops &in);

// Operations and loads in all copies: what the compiler is handed.
double code_operations(const Stage &stage, const ExpandedStage &body, const InnerLoops &in);

// How often a copy asks whether the predicate lets it be run, over one realisation. Halide takes conditions
// out of the loops that they do not depend on. Of a loop that stays rolled it cuts off the iterations that
// the predicate excludes, as far as it can, so that nothing is asked there.
double conditions_asked(const Stage &stage, const StageNest &nest);

}  // namespace cryolite
