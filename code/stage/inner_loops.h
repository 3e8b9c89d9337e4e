// The innermost loops of a stage as code: one vector, unrolled copies of it, and the loop around.
#pragma once

#include "base/small_vector.h"
#include "code/stage/expanded_stage.h"

namespace cryolite {

struct UnrolledLoop {
    size_t dim;  // of Stage::loops
    double factor;
    bool is_whole;  // all of the dimension: each copy knows its iteration by number
};

struct SerialLoop {
    size_t dim;
    double extent;
};

struct InnerLoops {
    int vector_dim = -1;  // of Stage::loops; -1: scalar
    int lanes = 1;
    SmallVector<UnrolledLoop, 6> unrolled;  // innermost first, wherever they stand
    double unroll_product = 1;
    SmallVector<SerialLoop, 8> serial;  // neither vectorised nor unrolled, innermost first
};

// One flag for each of InnerLoops::unrolled.
using UnrolledFlags = SmallVector<bool, 8>;

InnerLoops inner_loops(const StageNest &nest);

// How a row of the image lies under the innermost loop along the vector dimension, the one that Halide
// partitions: see code/stage/partitioned_loops.h.
struct BorderLoop {
    double row = 1;        // points
    double iteration = 0;  // points of one
};
BorderLoop border_loop(const Stage &stage, const Func &func, const StageNest &nest);

// Share of a row's vectors for which a clamp that is marked as likely to do nothing does something: the
// iterations that reach beyond what the load reads, and one on either side.
double border_share(const StageGraph &graph, const LoadGroup &load, size_t vector_dim,
                    const BorderLoop &loop);

// How many of them there are in one body of the unrolled loops: neighbours share what they both need.
// apart, by unrolled loop: neighbours along it do not.
double repeats_per_body(const Repeated &what, const InnerLoops &in,
                        const UnrolledFlags &apart = {});

// Runs of the body for each time that it is done, where a compiler takes it out of the loops around the
// body that change nothing of it. 1: it is done every time.
double runs_per_repeat(const Repeated &what, const InnerLoops &in);

}  // namespace cryolite
