// Tries a schedule on a copy of the pipeline, so that what Halide refuses never reaches the user's
// build.
#pragma once

#include <string>

#include <Halide.h>

#include "graph/build.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Empty if Halide lowers the scheduled copy; else what it said.
std::string what_halide_refuses(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                const LoopNest &nest, const Halide::Target &target);

}  // namespace cryolite
