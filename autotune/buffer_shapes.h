// Buffers for a pipeline's inputs and outputs, of the estimated sizes and with the strides that the pipeline asks for.
#pragma once

#include <Halide.h>

#include <vector>

#include "graph/builder/build.h"

namespace cryolite {

struct BufferShape {
    Halide::Type type;
    std::vector<halide_dimension_t> dimensions;

    size_t bytes() const;
};

// Strides that the parameter does not ask for are those of dense memory, the first dimension innermost.
BufferShape shape_of(const Halide::Parameter &parameter, const Box &region);

// One per output, and per element of a tuple.
std::vector<BufferShape> output_shapes(const Halide::Pipeline &pipeline, const BuiltGraph &built);

}  // namespace cryolite
