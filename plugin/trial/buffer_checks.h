// Halide's own checks of the buffers that a pipeline is called with, asked before there are any.
#pragma once

#include <string>

#include <Halide.h>

#include "graph/stage_graph.h"

namespace cryolite {

// The first check of a lowered pipeline that fails for buffers of the estimated sizes (the graph's regions
// of inputs and outputs). Such a pipeline asks for more of an input than there is, and would end the user's
// program. Empty: none does, as far as it can be told from sizes and estimated scalars.
std::string failing_buffer_check(const Halide::Module &lowered, const StageGraph &graph);

}  // namespace cryolite
