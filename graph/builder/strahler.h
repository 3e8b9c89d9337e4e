// How many registers the right-hand side of a stage needs.
#pragma once

#include "graph/halide/pipeline_view.h"

namespace cryolite {

// How many registers evaluate the right-hand side without spilling, if shared subexpressions are computed anew and
// operands in the best order (Ershov 1958). Constants need none; a loop, a parameter and a load need one. The result
// is the most of all tuple elements, the predicate and data-dependent store indices.
int strahler_number(const StageView &stage);

}  // namespace cryolite
