// Which rows of sums share what they load. Where a stage multiplies vectors of weights by values that differ from row
// to row, rows that are unrolled together load a vector of weights once for all of them.
#pragma once

#include <utility>

#include "graph/stage_graph.h"

namespace cryolite {

// Whether copies of the Func's sums, unrolled along dimension `row`, load the same vectors when `vector_dim` is
// vectorised. The sums are its own, or those of a Func that it alone reads, which may be computed inside its loops.
bool share_vectors(const StageGraph &graph, const Func &func, int vector_dim, int row);

// Whether copies along each of two dimensions share vectors that those along the other do not, as both factors of a
// grouped convolution, whose vectors are groups: outputs share the input, and pixels share the weights. A block of both
// loads each vector once.
bool share_different_vectors(const StageGraph &graph, const Func &func, int vector_dim,
                             std::pair<int, int> rows);

}  // namespace cryolite
