// Tries a schedule on a copy of the pipeline, so that what Halide refuses never reaches the user's
// build.
#pragma once

#include <string>

#include <Halide.h>

#include "graph/builder/build.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Empty if Halide lowers the scheduled copy, and its own checks of buffers of the estimated sizes pass
// (or fail for the plain schedule, too, or for the user's own: then the estimates are at fault); else
// what it said.
std::string what_halide_refuses(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                const LoopNest &nest, const Halide::Target &target,
                                const Machine &machine);

}  // namespace cryolite
