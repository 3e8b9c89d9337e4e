// Which reduction loops have no race once the loops around them stand still: a dynamic programme computes each row from
// the row before, all points of a row at once. Halide's own test (can_parallelize_rvar()) lets all reduction loops
// move, and refuses.
#pragma once

#include <span>

#include "graph/stage_graph.h"

namespace cryolite {

// Whether no two iterations of the reduction loop access one point of which one stores it, as long as the reduction
// loops outside of it, in the order of the algorithm, stand still.
bool is_race_free_in_order(const Stage &stage, std::span<const Edge> edges, size_t loop);

// The Func's dimension along which a vector of the reduction loop stores; -1: none.
int dim_walked_by(const Stage &stage, size_t loop);

}  // namespace cryolite
