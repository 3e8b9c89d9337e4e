// The order in which the search decides Funcs: readers before producers, and each Func as soon as possible
// after its last reader. States that differ in that reader's loops are then still in the beam.
#pragma once

#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

std::vector<FuncId> decision_order(const StageGraph &graph);

}  // namespace cryolite
