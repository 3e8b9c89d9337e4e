// What a compiler can tell of the addresses that a stage's body stores to, and what it makes of that.
#pragma once

#include "featurize/inner_loops.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct KnownAddresses {
    bool sums_in_registers = false;  // over the loop around the body
    double steps_in_place = 1;       // unrolled steps of a sum that pass it on without a store
    bool turns_squares = false;      // vectors that are stored apart become rows
};

// nest: of the stage. Sums live in registers where the compiler can tell their addresses apart: in several
// rows only if the rows' distance is a constant. Where it can't, steps that follow each other still pass
// them on. A vector whose elements are stored apart is one scalar store for each, of which it makes no
// register again; but rows of such vectors that it can tell apart it turns.
KnownAddresses known_addresses(const LoopNest &schedule, const StageNest &nest,
                               const InnerLoops &in);

}  // namespace cryolite
