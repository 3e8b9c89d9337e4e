// Funcs with scans along their rows (graph/facts/recurrences.h): recursive filters, cumulative sums, distance
// transforms. Each point waits for the one before, and no vector holds two of them. Vectors across the rows hold a
// point of each of many rows, and are dense if the Func is stored in that order. What goes in is transposed, and what
// comes out.
#pragma once

#include <optional>

#include "graph/stage_graph.h"

namespace cryolite {

// The dimension of `func` whose vectors take a step of a scan along the rows in many rows at once: all stages have a
// loop over it, which walks what they read point by point or not at all. The lowest such dimension; nothing if there
// is none or no scan.
std::optional<int> dim_across_scans(const StageGraph &graph, const Func &func);

}  // namespace cryolite
