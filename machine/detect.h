// Corrects a Machine by what the running computer says of itself: cores and cache sizes.
#pragma once

#include <string>

#include "machine/machine.h"

namespace cryolite {

struct Detection {
    Machine machine;
    std::string source;  // "hwloc 2.9.0", or why the preset was kept
};

// Uses hwloc's library when it can be loaded at run time: nothing has to be linked, and a computer
// without hwloc keeps the preset's caches.
Detection detect_machine(const Machine &preset);

}  // namespace cryolite
