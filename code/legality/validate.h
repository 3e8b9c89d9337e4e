// What must hold for every LoopNest, whatever actions made it. For tests and for the plugin's check of a schedule
// before it is used (plugin/trial/verify.h).
#pragma once

#include <string>

#include "schedule/loop_nest.h"

namespace cryolite {

// The first rule that does not hold; empty if all hold.
std::string validate(const LoopNest &nest);

}  // namespace cryolite
