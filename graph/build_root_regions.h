// What of each Func is computed, and of each input read, when everything is at root.
#pragma once

#include <vector>

#include "graph/estimates.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Fills root_region, and inline_only where there is none. Throws BuildFailure where an estimate is
// missing.
void fill_root_regions(std::vector<Func> &funcs, const std::vector<Stage> &stages,
                       const std::vector<Edge> &edges, const PipelineView &view,
                       const Estimates &estimates);

}  // namespace cryolite
