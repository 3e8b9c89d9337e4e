// What the result of a run says of the computer.
#pragma once

#include "autotune/runner/run_result.h"

namespace cryolite {

// The processor's name and the cores that this process may use.
RunMachine this_computer();

}  // namespace cryolite
