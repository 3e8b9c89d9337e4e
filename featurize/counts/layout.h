// How a Func lies in memory.
#pragma once

#include <span>

#include "schedule/loop_nest.h"

namespace cryolite {

// The order in which the points of a Func lie in memory.
struct Layout {
    int bytes_per_point = 1;
    std::span<const int> order;  // dimensions, the innermost first

    Layout(const Func &func)  // the graph's order; func must outlive this
        : bytes_per_point(func.bytes_per_point()), order(func.storage_order) {}
    // The schedule's order; nest must outlive this.
    Layout(const LoopNest &nest, FuncId f)
        : bytes_per_point(nest.graph().func(f).bytes_per_point()), order(nest.storage_order(f)) {}
};

}  // namespace cryolite
