// What Halide calls: options, graph, search, emission.
#pragma once

#include <Halide.h>

namespace cryolite {

// Schedules the pipeline. Throws Halide::CompileError for what the user must mend (options, missing
// estimates, a target without a machine model); anything else ends in a plainer schedule.
void autoschedule(const Halide::Pipeline &pipeline, const Halide::Target &target,
                  const Halide::AutoschedulerParams &params, Halide::AutoSchedulerResults *results);

}  // namespace cryolite
