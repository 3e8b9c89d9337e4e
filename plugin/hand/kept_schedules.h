// Schedules that a pipeline has already: the user's, or ours from an earlier call.
#pragma once

#include <string>
#include <vector>

#include <Halide.h>

#include "graph/builder/build.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// No Func is left that anything could be said of.
bool is_all_scheduled(const StageGraph &graph);

// A line per Func that the user's schedule leaves no place for, so that Halide computes it at each use.
std::vector<std::string> warnings_of_left_alone(const LoopNest &nest);

// A line that names the Funcs which the user has scheduled while others are free, and how that was told. Empty: there
// are none.
std::vector<std::string> warnings_of_kept(const StageGraph &graph);

// Marks the Funcs that were free as scheduled, those inlined or left at default loops, too: a later call
// could not tell them from Funcs that nobody has decided on. The mark is Stage::unscheduled().
void mark_as_scheduled(const BuiltGraph &built);

// Empty if Halide lowers the pipeline as it is now; else what it said.
std::string what_halide_refuses_unchanged(const Halide::Pipeline &pipeline,
                                          const Halide::Target &target);

}  // namespace cryolite
