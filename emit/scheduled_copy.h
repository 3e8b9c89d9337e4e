// A copy of a pipeline with a schedule, so that what is tried never reaches the user's build.
#pragma once

#include <Halide.h>

#include "base/result.h"
#include "graph/builder/build.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// nest: null for the pipeline as it is. Parameters and images are shared with the original.
Result<Halide::Pipeline> scheduled_copy(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                        const LoopNest *nest);

}  // namespace cryolite
