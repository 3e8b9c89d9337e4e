// Expressions that are evaluated only where a loop equals something, as f in select(c == 1, f(x, c), g(x)).
#pragma once

#include <span>
#include <vector>

#include "graph/halide/expression_dag.h"
#include "graph/stage_graph.h"

namespace cryolite {

// [node of `dag`]: per loop, whether a select or if_then_else on the way to the node compares something that depends on
// the loop for equality. Empty: none does. The variables in `dag` have the names of `loops`.
std::vector<std::vector<bool>> loops_equated(const ExpressionDag &dag,
                                             std::span<const StageLoop> loops);

}  // namespace cryolite
