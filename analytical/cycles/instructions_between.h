// What a core meets between two runs of a stage's body. Suppose that one iteration of a loop computes a vector of each
// of several stages. Then the other stages all come before the next vector of the first. So a chain of dependent
// operations that is cut into stages waits as long as a chain in one piece: each link waits for the one before.
#pragma once

#include <vector>

#include "code/kernel/kernel_code.h"
#include "machine/machine.h"

namespace cryolite {

// A core meets `instructions` of other stages after each `copies_of_run` copies of a stage's body.
struct OtherStages {
    double instructions = 0;
    double copies_of_run = 1;
};

// [i]: for code.stages()[i], in one iteration of the innermost loop that it shares with other stages.
std::vector<OtherStages> instructions_between(const KernelCode &code, const Machine &machine);

// Instructions of one copy of the body, on one vector of `lanes`.
double instructions_of_copy(const Machine &machine, const ExpandedStage &body, int lanes);

}  // namespace cryolite
