// All templates of a Func's loops on a CPU that are worth a try, one after the other: vectors, unrolled rows, tiles,
// where reduction loops and short ones stand, threads. There are up to some hundred thousand.
#pragma once

#include <functional>

#include "search/space/tiling_space.h"
#include "search/space/tiling_template.h"

namespace cryolite {

// Calls `take` with every template, always in the same order.
void each_template(const TilingSpace &space,
                   const std::function<void(const TilingTemplate &)> &take);

}  // namespace cryolite
