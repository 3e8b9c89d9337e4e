// How inputs and outputs lie in memory. The user may say so by constraints of the buffers: dim(0).set_stride(3) and
// dim(2).set_stride(1) for interleaved colours. Without any, dimension 0 is dense and the others have strides that are
// known at run time only.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/halide/pipeline_view.h"

namespace cryolite {

// Func::strides of an input.
std::vector<int64_t> known_strides(const InputView &input);
// Of an output. A stride is known if all buffers of a tuple have the same.
std::vector<int64_t> known_strides(const FuncView &output);

// Func::storage_order for these strides: smaller ones first, and dimensions of unknown stride outside of those.
std::vector<int> storage_order_of(const std::vector<int64_t> &strides);

}  // namespace cryolite
