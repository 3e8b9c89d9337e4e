// How much memory to walk through so that a given level serves it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/machine.h"

namespace cryolite::calibrate {

struct WalkSizes {
    int64_t one_core_bytes;     // when one core walks alone
    int64_t each_of_all_bytes;  // when all walk, each through its own
};

// Half of what the level holds for a core, but more than the level before can hold. Whole pages.
WalkSizes cache_walk_sizes(const Machine &machine, size_t level);
// Four times what the caches hold, within the memory that is to spare.
WalkSizes memory_walk_sizes(const Machine &machine);

}  // namespace cryolite::calibrate
