// The arithmetic of one body: a vector with all its unrolled copies.
#pragma once

#include <vector>

#include "code/kernel/known_addresses.h"
#include "code/stage/inner_loops.h"
#include "machine/machine.h"

namespace cryolite {

struct BodyOperations {
    OpHistogram vectors, scalars;
    bool has_vectors = false, has_scalars = false;

    // together: vectors that are parts of a longer one, in which they leave no gaps.
    double cycles(const Machine &machine, int lanes, int together = 1) const;
    double instructions(const Machine &machine, int lanes) const;
};

// How often something is done per run of the body. It is hoisted out of loops that it does not depend on. loads: of the
// body; loaded: whether it needs one of them.
double share_of_runs(const Repeated &what, bool loaded, const InnerLoops &in, double loads,
                     const KnownAddresses &known);

// Those of the predicate if `of_predicate`, else all others. A computation that does not depend on the
// vector loop is a scalar. apart: loads_apart() of each load.
BodyOperations body_operations(const Stage &stage, const ExpandedStage &body, const InnerLoops &in,
                               int lanes, double loads, const std::vector<UnrolledFlags> &apart,
                               const KnownAddresses &known, bool of_predicate);

}  // namespace cryolite
