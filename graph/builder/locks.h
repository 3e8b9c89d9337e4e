// Locked Funcs, which the search leaves alone: those that the user has scheduled, and those in whose loops such a
// Func is computed or stored.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/halide/pipeline_view.h"

namespace cryolite {

// Per Func of the view: why it is locked; empty if it is free. A user's choice of inlining looks like Halide's default,
// unless the user also calls Stage::unscheduled(). Func::bound and align_bounds are facts about sizes and do not lock.
// made: Funcs that were made for the search (divide_reductions.h), by Halide's name. How they are stored is not the
// user's choice.
std::vector<std::string> locked_funcs(const PipelineView &view,
                                      const std::map<std::string, std::string> &made = {});

}  // namespace cryolite
