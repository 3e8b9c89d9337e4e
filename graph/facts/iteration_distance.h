// How many iterations of a stage lie between two of its accesses to one point: the distance of a dependence. A solver's
// row y reads row y - 1, so that the distance is 1 along y.
#pragma once

#include <optional>
#include <vector>

#include "graph/access.h"

namespace cryolite {

// Per loop of the stage; nothing: not known.
using LoopDistances = std::vector<std::optional<double>>;

struct IterationDistance {
    bool never = false;  // no two iterations access one point
    LoopDistances loops;
};

// Which indices are believed.
enum class Trust : uint8_t {
    Estimates,  // affine ones at the estimates, with clamps looked through
    AllSizes,   // those that hold at all sizes and for all parameters
};

// Whether the index is a sum of loops with whole coefficients, at all sizes and for all parameters.
bool holds_at_all_sizes(const IndexMap &index);

// From an iteration that does `first` to one that does `second` at the same point. known: what is known before, such as
// 0 for loops that stand still.
IterationDistance iteration_distance(const Access &first, const Access &second, LoopDistances known,
                                     Trust trust);

}  // namespace cryolite
