// Sums of products of small integers, for which processors have instructions (action::Dot): where they are worth a try.
#pragma once

#include <optional>

#include "search/tiling_space.h"

namespace cryolite {

// The loop of the Func's first sum of products whose neighbours lie side by side in most of what the stage loads, in
// parts of as many as one instruction takes. Nothing: there is none, or the machine has no such instruction.
std::optional<TilingTemplate::Part> dot_of(const TilingSpace &space);

}  // namespace cryolite
