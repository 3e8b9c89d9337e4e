// Sums of products of small integers, for which processors have instructions (action::Join): where they are worth a
// try.
#pragma once

#include <optional>

#include "search/space/tiling_space.h"

namespace cryolite {

// The loop of the Func's first sum of products whose neighbours lie side by side in most of what the stage loads, in
// parts of as many as one instruction takes. Nothing: there is none, or the machine has no such instruction.
std::optional<TilingTemplate::Part> dot_of(const TilingSpace &space);

// Whether vectors of the dot product along the dimension load neighbours that overlap, as a filter's do: the place of a
// factor moves by one along the dimension and along the part's loop. Its loads are then interleaved, and it takes whole
// registers of the factors' type, so of `points` times as many lanes, for the shuffles to be full.
bool interleaves_neighbours(const TilingSpace &space, const TilingTemplate::Part &part, int dim);

// The same of a sum for points that lie a few elements apart (strided_sums.h), with as many products in a lane: what
// the lanes load then lies densely together, and several instructions share the loads. Nothing where dot_of() says it.
std::optional<TilingTemplate::Part> strided_dot_of(const TilingSpace &space);

}  // namespace cryolite
