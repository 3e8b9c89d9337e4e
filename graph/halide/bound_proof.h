// Proofs of inequalities between bounds. Halide's prover gives up on selects and nested minima, which bounds of
// mirrored accesses contain. Here such bounds are taken apart until it can prove the pieces.
#pragma once

#include "graph/halide/halide_compat.h"

namespace cryolite {

// Whether e <= limit (or e >= limit) for all values of the variables. false: not proved.
bool proves_at_most(const Expr &e, const Expr &limit, const ir::Scope<ir::Interval> &known);
bool proves_at_least(const Expr &e, const Expr &limit, const ir::Scope<ir::Interval> &known);

}  // namespace cryolite
