// The registers that a body's operands take beside its sums. Copies that share an operand come one after the other, and
// until the last of them has used it, it stays in a register.
#pragma once

#include "code/stage/expanded_stage.h"
#include "code/stage/inner_loops.h"
#include "machine/machine.h"

namespace cryolite {

// Vector registers of what the body's copies load and share, beside those of `bits` bits a lane that they add it to.
// Of copies along y outside of copies along x, an operand that differs along x alone is loaded for the first y and used
// again by the last, so that all of x are kept; one that differs along y alone is needed for one y at a time.
double operand_registers(const Machine &machine, const ExpandedStage &body, const InnerLoops &in,
                         int bits);

}  // namespace cryolite
