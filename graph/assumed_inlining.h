// Which Funcs count as inlined until they are decided. Where a Func will be is not known before, and what
// reads it has to be priced.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// A plain copy of an input, or a Func that only moves values about and is read at one point per point: it
// costs nothing when inlined, and its readers' rows stay rows.
bool is_free_to_inline(const StageGraph &graph, const Func &func);

// [FuncId]: at most so many points of the Func are computed where everything is inlined that can be. For a
// Func whose readers pick few points out of a large region, at loaded places say, these are fewer than
// root_region has.
std::vector<double> points_asked_for(const StageGraph &graph);

// [FuncId]: whether the Func counts as inlined until it is decided: because it can be nothing else, because
// that is free, or because it takes less work than all of its root region.
std::vector<bool> assumed_inlined(const StageGraph &graph);

}  // namespace cryolite
