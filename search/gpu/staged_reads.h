// Copies of inputs in the shared memory of a GPU's block.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether a copy of `func`, computed at `site`, would be read much more often than it has values: at the block level of
// a kernel, where all threads of the block read it. The loops of its readers have their extents at the estimates.
bool is_worth_staging(const LoopNest &nest, FuncId func, LoopName site);

}  // namespace cryolite
