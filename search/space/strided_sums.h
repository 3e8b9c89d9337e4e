// Sums over what lies beside each other, for points that lie a few elements apart, as where a filter keeps every
// fourth of its results: f(x) += in(4 * x + r) * taps(r). Four iterations of r that are unrolled together take their
// vectors out of the same loads (loads_together() in analytical/cycles/access_cycles.h).
#pragma once

#include <optional>

#include "search/space/tiling_space.h"

namespace cryolite {

// So many iterations of the reduction loop as points lie apart. Nothing: the Func has no such sum, or the machine has
// no instruction that makes it worthwhile.
std::optional<TilingTemplate::Part> strided_sum(const TilingSpace &space);

}  // namespace cryolite
