// Schedules of products that a GPU's blocks compute chunk by chunk (DivisionChoice::chunks in divisions.h).
//
// A block owns a tile of the product. Its sums wait in shared memory. For each chunk of the reduction, the block copies
// what it reads of its factors to shared memory; each thread sums the chunk up in registers, and adds the sums to the
// tile. These are five Funcs whose places pay off only together, so that a beam that decides one Func at a time drops
// them. The search starts from such schedules, too.
#pragma once

#include <vector>

#include "machine/hardware.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Complete schedules, one for each shape of a block that fits. Other Funcs have plain choices. Empty: the graph has no
// chunks.
std::vector<LoopNest> staged_products(const StageGraph &graph, Hardware hardware);

}  // namespace cryolite
