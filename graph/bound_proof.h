// Proofs of inequalities between bounds. Halide's prover gives up on selects and nested minima that
// the bounds of mirrored accesses are made of; taken apart, the pieces are within its reach.
#pragma once

#include "graph/halide_compat.h"

namespace cryolite {

// e <= limit or e >= limit for all values of the variables; false also means "not proved".
bool proves_at_most(const Expr &e, const Expr &limit, const ir::Scope<ir::Interval> &known);
bool proves_at_least(const Expr &e, const Expr &limit, const ir::Scope<ir::Interval> &known);

}  // namespace cryolite
