// Gives a stage the loops that a hand schedule wants of it, or the nearest ones that are legal.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "emit/import/wanted_loops.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// For each variable of the hand schedule the loop in which its Funcs are computed; nothing: outside of the stage's
// loops.
using LoopsByVariable = std::map<std::string, std::optional<LoopName>>;

// nest: the stage's Func is placed, and the stage has its default loops. On return, the stage has its loops.
LoopsByVariable shape_stage(LoopNest &nest, StageId stage, WantedLoops wanted,
                            DifferenceNotes &notes);

}  // namespace cryolite
