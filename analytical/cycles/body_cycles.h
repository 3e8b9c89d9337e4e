// Cycles of one body: a vector, or a scalar, with all its unrolled copies.
#pragma once

#include <vector>

#include "analytical/cycles/instructions_between.h"
#include "code/kernel/kernel_storage.h"
#include "code/kernel/known_addresses.h"
#include "code/kernel/stage_code.h"
#include "code/stage/vector_geometry.h"
#include "machine/machine.h"

namespace cryolite {

// By kind of work. They are raw: no resource hides another yet (overlap.h).
struct BodyCycles {
    double arithmetic = 0, latency = 0;  // latency: waits for results of the body's own
    double loads = 0, stores = 0, spills = 0;
    double surprises = 0;  // branches that are foretold wrongly
};

// apart: of each load and unrolled loop, whether neighbouring copies load anew the values that both need. known: what
// the compiler can tell of this body, which may be one under masks or guards. between: as for stage_cycles().
BodyCycles body_cycles(const LoopNest &schedule, const Machine &machine, const StageCode &code,
                       const std::vector<UnrolledFlags> &apart, const BorderLoop &border,
                       const KnownAddresses &known, const KernelStorage &storage,
                       const OtherStages &between);

}  // namespace cryolite
