// What a core meets between the runs of a stage's body: where a stage is computed for one vector at a time inside
// a loop, all other stages in that loop come before the next one. A chain of dependent operations that is cut
// into such stages waits as long as in one piece, since each link waits for the one before.
#pragma once

#include <vector>

#include "analytical/stage_cycles.h"
#include "featurize/kernel_work.h"

namespace cryolite {

// By KernelWork::stages(): of an iteration of the innermost loop that a stage shares with others.
std::vector<OtherStages> instructions_between(const KernelWork &work, const Machine &machine);

}  // namespace cryolite
