// The text of a schedule's tile kernels for tensor cores. They are no calls of Halide's alone: a lowering pass makes
// the kernels (tensorcore/schedule_product.h), and running them is tensorcore/schedule_nest.h.
#pragma once

#include <functional>
#include <string>

#include "schedule/loop_nest.h"

namespace cryolite {

// Statements that give the products to tensorcore::schedule_product() and add_pass(), for a function with the
// parameters `pipeline` and `target`. They do not compile without that header, so that no build lacks the kernels
// silently. func: the expression that finds a Func. Empty: the nest has no tile kernel.
std::string print_tile_kernels(const LoopNest &nest, const std::function<std::string(FuncId)> &func,
                               const std::string &indent);

}  // namespace cryolite
