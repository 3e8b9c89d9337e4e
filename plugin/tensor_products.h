// The option tensor_cores: matrix products that tensor cores compute are taken out of the search.
#pragma once

#include <Halide.h>

#include "base/log.h"
#include "base/result.h"
#include "plugin/platform.h"
#include "plugin/plugin_options.h"

namespace cryolite {

// Schedules the pipeline's products for tensor cores and adds the lowering pass to it. What is scheduled counts as
// scheduled by the user from then on. Says in the log which products were taken, and why others were not. Returns how
// many were taken. Error: a mode that runs schedules without the pass, or none taken although they are required.
Result<size_t> use_tensor_cores(const Halide::Pipeline &pipeline, const Halide::Target &target,
                                const Platform &platform, const PluginOptions &options,
                                const Log &log);

}  // namespace cryolite
