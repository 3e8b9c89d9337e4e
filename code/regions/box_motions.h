// How the box of a Func moves with the loops around its site.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// The motion of one side of a box. The keys of `by` are loops around the site, with level 0. The value is how many
// points the box moves per point of that loop's dimension.
struct BoxMotion {
    std::map<LoopName, Rational> by;
    Clamp clamp = Clamp::None;  // a clamped side stops while an unclamped one goes on
    bool operator==(const BoxMotion &) const = default;
};

// Per dimension of `f`, if it is computed at `site`. nullopt: the box grows with a size, or readers do not agree. All
// readers of f must be decided.
std::vector<std::optional<BoxMotion>> box_motions(const LoopNest &nest, FuncId f, LoopName site);

// Whether reads of `f`, computed at `site`, are known to move its box along `dim` in different ways: one reader moves
// with the loops around and another reads a fixed row, or they move by different steps.
bool is_pulled_apart(const LoopNest &nest, FuncId f, LoopName site, int dim);

}  // namespace cryolite
