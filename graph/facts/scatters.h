// Updates that write where loaded values say, as a histogram does.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// Whether the place that the stage writes moves irregularly with the loop, for example with a loaded value.
bool scatters_along(const Stage &stage, size_t loop);

}  // namespace cryolite
