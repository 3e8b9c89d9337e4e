// "Where": the sites worth trying for a Func, given where its readers are.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// One placement: the actions that make it (one, or two with a store level of its own).
using PlacementActions = std::vector<Action>;

// In a fixed order. Never empty: root is always among them (for a Func that must be inlined by
// `force_inline`, only that).
std::vector<PlacementActions> placements(const LoopNest &nest, FuncId func, bool exhaustive);

}  // namespace cryolite
