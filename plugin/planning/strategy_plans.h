// What the strategies for CPUs plan, as candidates of the search.
#pragma once

#include <vector>

#include "base/log.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// The complete schedule of each strategy that has planned within so many seconds. The strategies know no limit: of long
// kernels `temporal` tries all orders of the loops. So each plans in a child process, all at the same time. One that
// takes too long is given up, and log_level=info says so.
std::vector<LoopNest> strategy_plans(const StageGraph &graph, const Machine &machine,
                                     double seconds, const Log &log);

}  // namespace cryolite
