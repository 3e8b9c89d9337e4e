// Which Funcs of a kernel live in registers. What is stored inside a body whose loops are all vectors or
// unrolled copies has an address known to the compiler for each of its vectors, as have those who read
// them: it makes variables of the memory (LLVM's SROA), and neither stores nor loads are left.
#pragma once

#include <set>

#include "code/kernel/kernel_code.h"
#include "machine/machine.h"

namespace cryolite {

// Funcs of constant size all of whose values are vectors, or all scalars; that are read where they are
// made, as the very vectors that were made, in no loop that moves through them; and that fit in the
// registers together with what else is kept there in the same loop. Reduction loops of their own may go
// around a value. Seen with Halide 21: a vector that is read shifted by one goes through memory, and so
// does all of a Func of which a loop picks a row.
std::set<FuncId> values_in_registers(const KernelCode &code, const Machine &machine);

}  // namespace cryolite
