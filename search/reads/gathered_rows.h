// Funcs that gather along their rows. A picture that is resampled along its rows reads x * 5 / 8: each lane of a vector
// loads by itself, for every tap. Vectors across the rows load no two columns, so they are dense if the source is
// stored in that order, too (search/reads/transposed_reads.h). What was a gather per tap becomes one transposition of
// what goes in and one of what comes out.
#pragma once

#include <optional>

#include "graph/stage_graph.h"

namespace cryolite {

// The dimension of `func` along which none of its loads is a gather, if some are along its rows and in that dimension
// each of these walks its source point by point. The lowest such dimension; nothing if there is none.
std::optional<int> dim_without_gathers(const StageGraph &graph, const Func &func);

}  // namespace cryolite
