// Of the schedules that may be emitted, the one that is: the best that Halide takes in time, or in mode=top_k the one
// that runs fastest here.
#pragma once

#include <optional>

#include "base/deadline.h"
#include "base/log.h"
#include "graph/builder/build.h"
#include "plugin/plugin_options.h"
#include "plugin/target/platform.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// From the best to the plainest, the first that Halide takes in time. Nothing: the pipeline stays as it is. Throws
// Halide::CompileError where options do not go together, and where Halide refuses the pipeline without a schedule too.
std::optional<LoopNest> chosen_schedule(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                        const Halide::Target &target, const Platform &platform,
                                        const PluginOptions &options, const Deadline &deadline,
                                        const Log &log);

}  // namespace cryolite
