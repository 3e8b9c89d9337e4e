// The loops of one stage: ranges of reduction loops, and which loops may be reordered, run in parallel or be
// vectorised.
#pragma once

#include <string>
#include <vector>

#include "graph/halide/estimates.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Appends a warning for each range that had to be assumed.
std::vector<StageLoop> stage_loops(const FuncView &f, size_t stage, const Estimates &estimates,
                                   const ir::FuncValueBounds &value_bounds,
                                   std::vector<std::string> &warnings);

}  // namespace cryolite
