// Loops that differ little from those that a Func has: one span of a tile, the width of its vectors, two neighbours in
// the order of loops, one unrolled loop, the number of parallel loops. Draws among some hundred thousand templates find
// a good shape, and seldom the best one near it.
#pragma once

#include <vector>

#include "schedule/action.h"

namespace cryolite {

// loops: the actions that shape the stages of one Func (Decision::how). Some variations may be illegal.
std::vector<std::vector<Action>> nearby_loops(const std::vector<Action> &loops);

}  // namespace cryolite
