// Files that a pipeline's inputs come from where it is run just in time.
#pragma once

#include <Halide.h>

#include <string>

#include "autotune/runner/array_file.h"
#include "autotune/runner/call_plan.h"
#include "base/result.h"
#include "graph/builder/build.h"

namespace cryolite {

// "NAME:FILE NAME:FILE": .npy, .pgm or .ppm, read whole. Errors: what has another form, no such input, a file of
// another type, or one that is smaller than the input's estimates.
Result<InputFiles> pipeline_inputs(const std::string &text, const Halide::Pipeline &pipeline,
                                   const BuiltGraph &built);

// An input as its estimates have it, to place a file in.
PlannedArgument planned_input(const Halide::Parameter &input, const Box &region);

}  // namespace cryolite
