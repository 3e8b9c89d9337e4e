// Unrolling copies a stage's body. Each copy may keep only a part of the body, or stand under a condition.
#pragma once

#include "code/stage/expanded_stage.h"
#include "code/stage/inner_loops.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// The share of the body's copies that keep `what`. Where the iteration of an unrolled loop is known, a copy drops what
// it never needs. Something that all copies share is done if any of them keeps it.
double kept_of_copies(const Stage &stage, const Repeated &what, const InnerLoops &in);

// The share of all operations and loads that the copies of the body keep.
double kept_of_code(const Stage &stage, const ExpandedStage &body, const InnerLoops &in);

// Operations and loads in all copies, as the compiler gets them.
double code_operations(const Stage &stage, const ExpandedStage &body, const InnerLoops &in);

}  // namespace cryolite
