// What a pipeline is run on: the sizes of its inputs and outputs and the values of its parameters, at the estimates.
#pragma once

#include <Halide.h>

#include <map>
#include <string>

#include "graph/builder/build.h"

namespace cryolite {

// All parameters that the pipeline reads, buffers and scalars, by name. Those of its outputs are left out.
std::map<std::string, Halide::Parameter> parameters_of(const Halide::Pipeline &pipeline);

// JSON; equal texts mean equal work. {"inputs": {"in": [[0, 1536], [0, 2560]]}, "outputs": {...}, "scalars": {"k":
// "0.04"}}
std::string workload_text(const Halide::Pipeline &pipeline, const BuiltGraph &built);

}  // namespace cryolite
