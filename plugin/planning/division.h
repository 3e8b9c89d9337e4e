// Whether reductions of the pipeline are divided into partial results, or copied, before the search
// (search/divisions/divisions.h), and the graph of the pipeline that comes out.
#pragma once

#include <Halide.h>

#include "base/log.h"
#include "graph/builder/build.h"
#include "plugin/plugin_options.h"
#include "plugin/target/platform.h"

namespace cryolite {

// Tries the choices by short searches on copies of the pipeline: all copies together, then one Func after another. What
// makes the predicted time clearly shorter is kept, and is done to the pipeline itself. built: the graph of the
// pipeline as it is; it comes back where nothing is worth it, or where Halide refuses the pipeline that would come out.
BuiltGraph divided_where_worth_it(const Halide::Pipeline &pipeline, BuiltGraph built,
                                  const Halide::Target &target, const Platform &platform,
                                  const PluginOptions &options, const Deadline &deadline,
                                  const Log &log);

}  // namespace cryolite
