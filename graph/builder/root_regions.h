// The region of each Func that is computed, and of each input that is read, when everything is at root.
#pragma once

#include <vector>

#include "graph/halide/estimates.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Fills Func::root_region and Func::inline_only. Throws BuildFailure where an estimate is missing.
void fill_root_regions(std::vector<Func> &funcs, const std::vector<Stage> &stages,
                       const std::vector<Edge> &edges, const PipelineView &view,
                       const Estimates &estimates);

}  // namespace cryolite
