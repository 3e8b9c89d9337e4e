// Funcs that the user has scheduled already, and those that follow from them: left alone.
#pragma once

#include <string>
#include <vector>

#include "graph/pipeline_view.h"

namespace cryolite {

// Per Func of the view: why it is locked; empty if it is free. A user's choice of inlining cannot be
// told from Halide's default, unless Stage::unscheduled() goes with it. Func::bound and align_bounds are
// facts about sizes and do not lock.
std::vector<std::string> locked_funcs(const PipelineView &view);

}  // namespace cryolite
