// The option tensor_cores: the search is told of the matrix products that tensor cores can compute, and the user what
// became of them.
#pragma once

#include <string>
#include <vector>

#include <Halide.h>

#include "base/log.h"
#include "base/result.h"
#include "graph/builder/build.h"
#include "plugin/plugin_options.h"
#include "plugin/target/platform.h"

namespace cryolite {

// Adds its products to the graph, if the target has tensor cores and the option allows. Returns a line for each update
// stage that is no product. Error: they are required, and the target has none or there is no product.
Result<std::vector<std::string>> add_tensor_products(BuiltGraph &built,
                                                     const Halide::Target &target,
                                                     const Platform &platform,
                                                     const PluginOptions &options);

// A line for each product of a complete schedule: whether it is on tensor cores, and what the other way is predicted to
// take.
std::vector<std::string> tensor_lines(const LoopNest &nest, const Platform &platform,
                                      const PluginOptions &options);

// Error: tensor cores are required, and the schedule uses none. nest: null for no schedule at all.
Result<int> check_required(const LoopNest *nest, const Platform &platform,
                           const PluginOptions &options);

}  // namespace cryolite
