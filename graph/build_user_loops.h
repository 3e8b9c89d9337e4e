// What users' schedules mean for the Funcs around them: the loops of locked Funcs, where these are
// computed, and which Funcs that confines.
#pragma once

#include <string>
#include <vector>

#include "graph/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Fills Stage::user_loops, Func::user_site, Func::enclosed and Func::enclosed_by. locked: as from
// locked_funcs(). Loops are left unknown where Halide does more with them than run them: sliding
// windows, asynchronous or fused Funcs, specialisations, devices.
void apply_user_schedules(const PipelineView &view, const std::vector<std::string> &locked,
                          std::vector<Func> &funcs, std::vector<Stage> &stages,
                          const std::vector<Edge> &edges);

}  // namespace cryolite
