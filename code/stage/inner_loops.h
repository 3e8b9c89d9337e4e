// The innermost loops of a stage as code: one vector, its unrolled copies, and the serial loops around.
#pragma once

#include "base/small_vector.h"
#include "code/stage/expanded_stage.h"

namespace cryolite {

struct UnrolledLoop {
    size_t dim;  // of Stage::loops
    double factor;
    // Each copy knows its iteration as a number: of a whole reduction loop, or a channel
    // (code/kernel/channels.h); or its place in the period of what is computed (code/kernel/first_points.h).
    bool is_known;
    // The vectors of a woven one (woven_vectors.h): neighbouring copies are neighbouring points.
    bool woven = false;
};

struct SerialLoop {
    size_t dim;
    double extent;
    bool is_constant;  // the compiler knows how many iterations there are
};

struct InnerLoops {
    int vector_dim = -1;  // of Stage::loops; -1: scalar
    int lanes = 1;
    int lane_step = 1;  // points from one lane to the next; more than 1: the vector is woven
    // Copies that are joined in one lane (action::Join), and their loop, which is the first of `unrolled`; 1: none.
    int joined = 1;
    int joined_dim = -1;
    // Whose copies are one body, innermost first. No serial loop of more than one iteration stands inside of them.
    SmallVector<UnrolledLoop, 6> unrolled;
    double unroll_product = 1;
    // Unrolled around a serial loop, innermost first: each copy is a loop of its own, and they share nothing.
    SmallVector<UnrolledLoop, 2> copied;
    double copied_product = 1;
    // Neither vectorised nor unrolled, and those that are copied, innermost first: what a body runs in.
    SmallVector<SerialLoop, 8> serial;

    double code_copies() const { return unroll_product * copied_product; }
};

// One flag for each of InnerLoops::unrolled.
using UnrolledFlags = SmallVector<bool, 8>;

// Whether copies are joined that are points of the Func, and not products of one sum.
bool joins_points(const Stage &stage, const InnerLoops &in);

// Runs of the body between which LLVM keeps in registers what `load` reads and the stage stores there. They are those
// of the reduction loops around the body that do not move it, as long as the loops inside of them surely run (seen in
// the code of a convolution, over all three of its loops). 1: the innermost loop moves it.
double runs_in_registers(const Stage &stage, const LoadGroup &load, const InnerLoops &in);

// Channels count as not known: stage_code() knows more.
InnerLoops inner_loops(const Stage &stage, const StageNest &nest);

// The innermost loop along the vector dimension that is neither vector nor unrolled. Halide partitions this loop at the
// image's borders: see code/stage/partitioned_loops.h.
struct BorderLoop {
    double row = 1;        // points of a row of the image
    double iteration = 0;  // points that one iteration covers; 0: the stage has no vector loop
    // Halide cuts clamps by hand off it that several loads share: see code/stage/hand_clamps.h.
    bool cuts_shared_clamps = true;
};
BorderLoop border_loop(const Stage &stage, const Func &func, const StageNest &nest);

// The share of a row's vectors that lie in iterations at the borders, or in all if the clamp is not cut off. There a
// clamp does something, although it is marked as unlikely to. These are the iterations that reach beyond the
// producer's region, and one more on either side.
double border_share(const StageGraph &graph, const LoadGroup &load, size_t vector_dim,
                    const BorderLoop &loop);

// How often one body with its unrolled copies does `what`. Neighbouring copies share what both need. apart, by unrolled
// loop: whether neighbours along that loop share nothing.
double repeats_per_body(const Repeated &what, const InnerLoops &in,
                        const UnrolledFlags &apart = {});

// Runs of the body per time that `what` is done. The compiler hoists it out of loops around the body that it does not
// depend on. 1: it is done in every run.
double runs_per_repeat(const Repeated &what, const InnerLoops &in);

}  // namespace cryolite
