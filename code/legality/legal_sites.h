// Where a Func may be computed. Halide's rule: the loop must contain every use.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// The loops in which `f` may be computed, innermost first. They contain all readers of f. Empty: root is the only site.
// All readers of f must be decided.
std::vector<LoopName> legal_sites(const LoopNest &nest, FuncId f);

}  // namespace cryolite
