// What the compiler can tell of the addresses in a stage's body, and the code that it makes from them.
#pragma once

#include "code/kernel/constant_sides.h"
#include "code/kernel/stage_code.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct KnownAddresses {
    bool sums_in_registers = false;  // over the loop around the body
    // The share of the body's runs whose copies stand under guards, so that their sums live in memory: those of the
    // last part of a split, if most parts have no guard. 0: sums_in_registers says the same of all runs.
    double guarded_share = 0;
    double steps_in_place = 1;   // unrolled steps that pass a sum on without a store
    bool turns_squares = false;  // vectors whose elements lie apart are transposed into rows
    // So many copies that follow each other store vectors whose elements lie so many apart: Halide interleaves them and
    // stores them as whole vectors. 1: no, or they are squares that are turned. The stride must be a constant, and the
    // copies all that lies between. Woven vectors are such copies.
    int interleaved = 1;
    bool guarded_vectors = false;  // each vector of the body stands under its own condition
    // Each unrolled copy of the body stands under its own condition, so LLVM takes no load out of the loops around.
    bool guarded_copies = false;
    // Copies that are joined (action::Join) are whole rows that follow each other in memory: their vector is stored as
    // it is.
    bool joins_rows = false;
    bool masked_lanes = false;  // each lane has a mask: the predicate depends on the vector loop
    // Vectors of several rows that are shorter than a vector. LLVM takes those under masks for overlapping, so no step
    // passes a sum on to the next: 32 masked stores in place of 4, for 8 steps in 4 rows of 17 points with 32 lanes.
    bool masks_overlap = false;
};

// The same where each lane has a mask, as in the last vector of a row that ends within it: Halide computes it whole,
// with masks for its loads and stores.
KnownAddresses masked(KnownAddresses known);

// - Sums live in registers if the compiler can tell their addresses apart. For several rows this needs a constant
//   distance between the rows. Otherwise, steps that follow each other may still pass a sum on.
// - A vector whose elements lie apart becomes scalar stores. The compiler keeps no sum of such a vector in a register.
//   But if it can tell several such vectors apart, it transposes them into rows.
KnownAddresses known_addresses(const LoopNest &schedule, const StageCode &code,
                               const ConstantSides &sides);

// Whether neighbours along dimension d of a Func lie a constant number of bytes apart.
bool has_constant_distance(const LoopNest &schedule, FuncId f, size_t d,
                           const ConstantSides &sides);

// Whether copies of the body, unrolled along a loop of the stage, share the loads that both need. Halide multiplies an
// index by its dimension's stride term by term before it unrolls (seen with 19 and 21). Then one row has (y + 1) *
// stride, the row before has y * stride + stride, and the two no longer look alike. So rows that neighbours share are
// loaded anew, and everything computed from them is computed anew. Copies do share if
// - the stride is a constant,
// - the row's index in the producer's memory is a constant,
// - or the modulo of a folded window keeps the index in one piece.
// Rows y + r of unrolled rows and unrolled reduction steps are one term and are always shared.
bool neighbours_meet(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                     size_t loop, const ConstantSides &sides);

// How many addresses a body needs for the copies of a load. Copies whose distance is a constant share one address. Rows
// that are a stride apart which is known at run time only have one each.
double addresses_of_load(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                         const ConstantSides &sides);

}  // namespace cryolite
