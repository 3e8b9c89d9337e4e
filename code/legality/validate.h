// What must hold of every LoopNest, whatever actions made it. For tests and debug builds.
#pragma once

#include <string>

#include "schedule/loop_nest.h"

namespace cryolite {

// An empty string if it holds, else what does not.
std::string validate(const LoopNest &nest);

}  // namespace cryolite
