// False sharing: tasks that write the same cache lines take them from each other. It matters where a line is written
// again and again, by sums that stay in memory.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Of the stage's stores, the share that goes to lines which several tasks of its own parallel loops write again and
// again, at the estimates. 0 if each task's part of the Func is a whole number of lines, and for a stage without a
// reduction that comes back to the same points.
double share_on_shared_lines(const LoopNest &schedule, const StageNest &nest, int line_bytes);

}  // namespace cryolite
