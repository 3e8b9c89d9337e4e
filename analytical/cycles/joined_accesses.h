// Loads and stores of copies that are joined to one long vector (action::Join): lane by lane, the copies side by side.
#pragma once

#include "code/kernel/constant_sides.h"
#include "code/stage/inner_loops.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Cycles of one load of the group by one of the joined copies. lanes: of the vector beside them. Whole vectors where
// rows of copies follow each other densely; a load for each row that lies apart, of which the vector is put together.
double joined_load_cycles(const Machine &machine, const LoopNest &schedule, const Stage &reader,
                          const LoadGroup &load, const InnerLoops &in, int lanes,
                          const ConstantSides &sides);

// Cycles of one store of values of so many bits by one of the joined copies. dense: KnownAddresses::joins_rows.
double joined_store_cycles(const Machine &machine, int bits, const InnerLoops &in, int lanes,
                           bool dense);

}  // namespace cryolite
