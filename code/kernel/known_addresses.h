// What a compiler can tell of the addresses of a stage's body, and what it makes of that.
#pragma once

#include "code/kernel/constant_sides.h"
#include "code/kernel/stage_code.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct KnownAddresses {
    bool sums_in_registers = false;  // over the loop around the body
    double steps_in_place = 1;       // unrolled steps of a sum that pass it on without a store
    bool turns_squares = false;      // vectors that are stored apart become rows
    bool guarded_vectors = false;    // each vector of the body stands under a condition of its own
    bool masked_lanes = false;       // each lane does: the predicate depends on the vector loop
};

// Sums live in registers where the compiler can tell their addresses apart: in several
// rows only if the rows' distance is a constant. Where it can't, steps that follow each other still pass
// them on. A vector whose elements are stored apart is one scalar store for each, of which it makes no
// register again; but rows of such vectors that it can tell apart it turns.
KnownAddresses known_addresses(const LoopNest &schedule, const StageCode &code);

// Whether copies of the body, unrolled along a loop of the stage, load once what they both need. Halide
// multiplies an index by its dimension's stride term by term before it unrolls: (y + 1) * stride of one row
// and y * stride + stride of the row before it are no longer alike (seen with 19 and 21). So rows that
// neighbours share are loaded anew, and all that is computed of them is computed anew, unless the stride is
// a constant, the row's place in the producer's memory is one, or a folded window's modulo keeps the index
// in one piece. Rows y + r of unrolled rows and unrolled reduction steps are one term, and always meet.
bool neighbours_meet(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                     size_t loop, const ConstantSides &sides);

}  // namespace cryolite
