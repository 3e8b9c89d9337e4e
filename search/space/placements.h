// "Where": the places worth trying for a Func, given where its readers are.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// One placement: the actions that make it (one, or two with a store level or a storage order of its own).
using PlacementActions = std::vector<Action>;

// In a fixed order, never empty. Root is among them, except for these Funcs:
// - Func::inline_only is inlined.
// - Func::enclosed stays inside the user's loops; it is at root only if nothing else is legal.
// - A Func that costs nothing inlined (is_free_to_inline) is inlined, or copied inside a reader's loop where a
//   packed or transposed copy may pay off. A copy of sums or in blocks is placed like any other Func.
// - A pointwise link (is_pointwise_link) is inlined, unless it may better be stored in another order.
// exhaustive: no place is pruned.
std::vector<PlacementActions> placements(const LoopNest &nest, FuncId func, bool exhaustive);

}  // namespace cryolite
