// Cycles of arithmetic: what a core's units take for operations on whole vectors or on scalars.
#pragma once

#include "graph/operations.h"
#include "machine/machine.h"

namespace cryolite {

bool is_float(TypeClass type);

// Cycles of the operations `ops` on one vector of `lanes`. One lane is a scalar.
double arithmetic_cycles(const Machine &machine, const OpHistogram &ops, int lanes);

}  // namespace cryolite
