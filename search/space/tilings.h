// "How": the ways to tile, order, vectorise, unroll and parallelise the loops of a Func's stages that are worth
// trying at its place.
#pragma once

#include <vector>

#include "base/random.h"
#include "machine/hardware.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct TilingLimits {
    size_t count = 48;  // at most this many are returned; beyond it `random` draws
    bool exhaustive = false;
};

// Each element: the actions for all stages of `func`, which is placed in `nest` with default loops.
// The first one is a sensible default (vectorised; at root the outer loop is parallel).
std::vector<std::vector<Action>> tilings(const LoopNest &nest, FuncId func, Hardware hardware,
                                         const TilingLimits &limits, Random random);

}  // namespace cryolite
