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

// A virtual machine sees all of the last cache of its host's processor, but few of the cores that share it: 480 MB for
// two cores of a Granite Rapids, of which they could use about 48. So no core that is seen counts for more than the
// most that a processor has for each (32 MB, an EPYC 72F3 or 9175F).
void limit_to_seen_cores(CacheLevel &last);

// Uses hwloc's library when it can be loaded at run time: nothing has to be linked, and a computer
// without hwloc keeps the preset's caches. A level of the preset's that hwloc does not name is
// dropped where it would be no larger than the one before.
Detection detect_machine(const Machine &preset);

}  // namespace cryolite
