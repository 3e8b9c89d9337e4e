// Corrects a Machine by what the running computer says of itself: cores and cache sizes.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"

namespace cryolite {

struct Detection {
    Machine machine;
    std::string source;              // "hwloc 2.9", or why the preset was kept
    std::vector<std::string> found;  // keys (machine_fields.h) of what was asked of the computer
};

// Uses hwloc's library when it can be loaded at run time: nothing has to be linked, and a computer
// without hwloc keeps the preset's caches. A level of the preset's that hwloc does not name is
// dropped where it would be no larger than the one before.
Detection detect_machine(const Machine &preset);

}  // namespace cryolite
