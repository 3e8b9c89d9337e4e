// Rows that a loop moves unevenly, and the addresses that are computed for them.
//
// Where each iteration of a loop moves the index of a row by the same number, LLVM adds to the row's address. Where the
// number differs, as for y / 3 or y * 160 / 147, it multiplies the index by the stride anew. That is a multiplication
// for each row if the compiler knows no stride, or else one for all of them.
#pragma once

#include "code/kernel/constant_sides.h"
#include "code/kernel/stage_code.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct UnevenRows {
    // Runs of the body that use the addresses, from one computation of them to the next. 0: no loop moves the rows
    // unevenly, or the compiler knows the stride.
    double runs = 0;
    // A loop stands between the computation and the body. LLVM then computes all addresses before that loop, and they
    // live on the stack if they are many. Else it computes each beside its load. A loop that runs once counts if the
    // compiler does not know its range.
    bool ahead = false;
};
UnevenRows uneven_rows(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                       const ConstantSides &sides);

}  // namespace cryolite
