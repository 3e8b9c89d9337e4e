// Updates in which each step goes on from one before: cumulative sums, recursive filters, solvers. Through memory a
// step waits for the store of the last. Steps that are unrolled together pass the value on in a register.
#pragma once

#include <optional>

#include "graph/stage_graph.h"

namespace cryolite {

// The reduction loop along which the stage stores each value beside one that an earlier step has stored. Nothing: no
// step reads what another one has stored at a fixed distance.
std::optional<Recurrence> find_recurrence(const Stage &stage, std::span<const Edge> edges);

}  // namespace cryolite
