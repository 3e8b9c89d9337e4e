// Which updates are sums of products of small integers (dot_product.h), as Halide's vector_reduce() sees them: it looks
// for the narrowest types that lose nothing, through sums and differences with constants.
#pragma once

#include <optional>

#include "graph/dot_product.h"
#include "graph/halide/pipeline_view.h"

namespace cryolite {

// self: the name of the stage's own Func.
std::optional<DotProduct> dot_product(const StageView &stage, const std::string &self);

}  // namespace cryolite
