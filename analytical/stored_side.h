// How many points of a Func its storage has, as kernels that read it count them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/loop_nest.h"

namespace cryolite {

// Along dimension d; at least 1. What is at root counts the same however its own kernel looks, decided or not, so that
// a reader's price depends on the reader's kernel alone: a woven Func stores a few points more.
inline int64_t stored_side(const LoopNest &nest, FuncId f, size_t d) {
    const Func &func = nest.graph().func(f);
    const bool is_in_loop = !func.is_input() && nest.decided(f) && nest.at(f).store_at;
    const Box &stored = is_in_loop ? nest.at(f).store_region : func.root_region;
    return std::max<int64_t>(1, stored[d].extent());
}

}  // namespace cryolite
