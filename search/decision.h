// What was decided of one Func, apart from the state it was decided in: to decide it so again in another.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

struct Decision {
    std::vector<Action> where, how;  // its place and its storage; its loops
};

Decision decision_of(const LoopNest &nest, FuncId f);

// Whether the Func, undecided in `nest`, could be placed as decided; else `nest` is worth nothing. A shape of
// which a part is refused is still a legal one, if a poorer one.
bool decide_again(LoopNest &nest, const Decision &decision);

}  // namespace cryolite
