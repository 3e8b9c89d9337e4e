// The actions that decided one Func, taken out of their state so that another state can repeat them.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

struct Decision {
    std::vector<Action> where, how;  // its place and its storage; its loops
    bool operator==(const Decision &) const = default;
};

Decision decision_of(const LoopNest &nest, FuncId f);

// Repeats `decision` in `nest`, where its Func is undecided. False: the Func cannot be placed so, and `nest` is
// of no further use. Loop actions that are refused are left out: the state stays legal, if slower.
bool repeat_decision(LoopNest &nest, const Decision &decision);

}  // namespace cryolite
