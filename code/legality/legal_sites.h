// Where a Func may be computed. Halide's rule is that the loop contains every use.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// The loops, innermost first, that contain all readers of `f`, so that f may be computed in them. Empty: root
// is the only site. All readers of f must be decided.
std::vector<LoopName> legal_sites(const LoopNest &nest, FuncId f);

}  // namespace cryolite
