// The calls that give a companion (action::ComputeWith) its loops.
//
// Halide wants the loops that two Funcs share to have the same names, and the name of a loop holds those of all splits
// on the way to it: x split into x_t and x_2, and x_t into x_0 and x_1, make the loop x.x_t.x_0. So the companion's
// dimension is split as the leader's is, down to the last loop that they share. In place of the leader's other splits
// stand renamings. What the shared loops leave is split off before, into the companion's own loops.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/schedule_call.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// What the calls for a stage have named.
struct StageNames {
    std::map<LoopName, LoopVariable> loops;        // before some of them are fused
    std::map<LoopName, LoopVariable> outer_parts;  // by the loop that was split off: what was left
    std::vector<ScheduleCall> fusions;             // that make the parallel loop
};

// Calls for the companion's only stage, up to the parallel loop, but for compute_with itself.
// used: names that are taken in the companion; grows. own: receives the variables of its own loops; a loop over a
// single point has none.
std::vector<ScheduleCall> companion_calls(const LoopNest &nest, const FuncNest &companion,
                                          const StageNames &leader, std::set<std::string> &used,
                                          std::map<LoopName, LoopVariable> &own);

// A name like `wanted` that is not taken yet.
std::string fresh_name(const std::string &wanted, std::set<std::string> &used);

}  // namespace cryolite
