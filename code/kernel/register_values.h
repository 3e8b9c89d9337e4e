// Which Funcs of a kernel live in registers. Suppose that a Func is stored inside a body and all its loops are vectors
// or unrolled copies. Then the compiler knows the addresses of all its vectors, in its stores and in its readers'
// loads. It replaces the memory by variables (LLVM's SROA), and no stores or loads are left.
#pragma once

#include <set>

#include "code/kernel/kernel_code.h"
#include "machine/machine.h"

namespace cryolite {

// Funcs that live in registers. Such a Func
// - has a constant size, and its values are all vectors or all scalars;
// - is read at the loop at which it is computed, in the same vectors in which it was written;
// - is read in no loop that moves through it;
// - fits in the registers, together with the other such Funcs of the same loop.
// Its own reduction loops may stand around a value. Seen with Halide 21: a vector that is read shifted by one goes
// through memory. So does a whole Func if a loop picks one of its rows.
std::set<FuncId> values_in_registers(const KernelCode &code, const Machine &machine);

}  // namespace cryolite
