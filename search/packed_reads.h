// Factors of products that are worth a copy of their own. A product walks down the rows of such a factor,
// a vector or a few from each, once for every row of its own: in an input these lie a whole row apart,
// each on another page; in a copy of the columns that are used together, one behind the other.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// Whether a sum reads `func` so: its rows along the sum's pure loops, their number along a reduction, and
// all of that again for each iteration of another pure loop.
bool is_worth_packing(const StageGraph &graph, const Func &func);

}  // namespace cryolite
