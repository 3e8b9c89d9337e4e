// What users' schedules mean for the Funcs around them: the loops of locked Funcs, where locked Funcs are computed,
// and which other Funcs must stay inside those loops.
#pragma once

#include <string>
#include <vector>

#include "graph/halide/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Fills Stage::user_loops, Func::user_site, Func::enclosed and Func::enclosed_by. locked: from locked_funcs().
// Loops stay unknown where Halide does more than run them: sliding windows, asynchronous or fused Funcs,
// specialisations, devices.
void apply_user_schedules(const PipelineView &view, const std::vector<std::string> &locked,
                          std::vector<Func> &funcs, std::vector<Stage> &stages,
                          const std::vector<Edge> &edges);

}  // namespace cryolite
