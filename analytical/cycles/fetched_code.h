// Code that is larger than the cache of decoded instructions. A body that is run again and again out of that cache
// costs what its operations cost. A larger one is fetched and decoded in each run.
#pragma once

#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// Instructions of so many operations, each on one vector of `lanes`. 1: on a scalar.
double instructions_of(const Machine &machine, const OpHistogram &ops, int lanes);

// Instructions that load one element of a gather into a vector.
constexpr double instructions_per_gathered_element = 4;

// Instructions that load one element under a mask: a test and a branch, a zero for a lane that is off, the load, and
// the insertion. Read off the code of a Bayer mosaic's last vectors, not counted over all of it.
constexpr double instructions_per_masked_element = 7;

// Cycles until a body of so many instructions has been fetched and decoded. 0: it has been before.
double fetch_cycles(const Machine &machine, double instructions);

}  // namespace cryolite
