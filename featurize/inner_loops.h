// The innermost loops of a stage as code: one vector, unrolled copies of it, and the loop around.
#pragma once

#include <vector>

#include "featurize/expanded_stage.h"

namespace cryolite {

struct UnrolledLoop {
    size_t dim;  // of Stage::loops
    double factor;
};

struct InnerLoops {
    int vector_dim = -1;  // of Stage::loops; -1: scalar
    int lanes = 1;
    std::vector<UnrolledLoop> unrolled;  // innermost first, wherever they stand
    double unroll_product = 1;
    int serial_dim = -1;  // of the innermost loop that is neither vectorised nor unrolled
    double serial_extent = 1;
};

InnerLoops inner_loops(const StageNest &nest);

// Share of the vectors at the borders of the image, where what is marked as likely does not hold: an
// iteration on either side of the innermost loop along the vector dimension that Halide can partition.
double border_share(const Stage &stage, const Func &func, const StageNest &nest);

// Loads of the group in one body of the unrolled loops: neighbours share what they both need.
double loads_per_body(const LoadGroup &load, const InnerLoops &in);

}  // namespace cryolite
