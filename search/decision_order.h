// The order in which Funcs are decided: readers before producers, and a Func as soon as possible
// after its last reader, so that the states that differ in that reader's loops are still in the beam
// when it matters.
#pragma once

#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

std::vector<FuncId> decision_order(const StageGraph &graph);

}  // namespace cryolite
