// Updates in which each step goes on from the one before: cumulative sums, recursive filters. Through memory a step
// waits for the store of the last. Steps that are unrolled together pass the value on in a register.
#pragma once

#include <optional>

#include "graph/stage_graph.h"

namespace cryolite {

// The reduction loop along which the stage stores each value beside the one that it reads; nothing: it has none.
std::optional<size_t> scan_loop(const StageGraph &graph, const Stage &stage);

}  // namespace cryolite
