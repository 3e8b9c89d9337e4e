// How the box of a Func moves with the loops around the place where it is computed.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// By (stage, dimension) of the loops around, their level 0: points that the box moves by a point of that
// dimension.
struct BoxMotion {
    std::map<LoopName, Rational> by;
    Clamp clamp = Clamp::None;  // a clamped window stops where another goes on
    bool operator==(const BoxMotion &) const = default;
};

// Of each dimension of `f`, computed at `site`; nullopt where its box grows with a size, or where readers
// do not agree. All readers of f must be decided.
std::vector<std::optional<BoxMotion>> box_motions(const LoopNest &nest, FuncId f, LoopName site);

}  // namespace cryolite
