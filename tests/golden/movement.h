// How what a state is expected to cost moves as the search's own decisions are taken, Func by Func. Where one decision
// moves it far, the choices before it were made blindly.
#pragma once

#include "graph/builder/build.h"
#include "schedule/loop_nest.h"

namespace cryolite::testing {

// Fails the test where one decision of the complete schedule moves what is expected by more than a stated factor.
void expect_small_steps(const BuiltGraph &built, LoopNest nest);

}  // namespace cryolite::testing
