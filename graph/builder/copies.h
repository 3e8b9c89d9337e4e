// Whether the right-hand side of a stage computes anything.
#pragma once

#include "graph/halide/pipeline_view.h"

namespace cryolite {

// Whether the stage only copies values: each is a constant, a parameter or a load, possibly cast, and no index is
// loaded. A select between a constant and such a value counts, too (a boundary condition).
bool copies_values(const StageView &stage);

// Whether every value is undef.
bool is_undefined(const StageView &stage);

}  // namespace cryolite
