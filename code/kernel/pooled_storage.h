// Which Funcs at root share memory, one after the other, in a pipeline that stores very many there.
//
// Wherever a pipeline may fail, Halide's code frees all memory that may be allocated there. LLVM then has a value for
// each allocation at each of these places: the square of the number of Funcs at root. For 300 Funcs that takes minutes.
//
// Memory of the type Stack whose size is not a constant does not lie on the stack. Halide takes it from the heap, keeps
// it in a slot until the pipeline ends, and gives a slot that is free to the next Func. Then there is one value for
// each slot, and there are as many slots as Funcs are alive at a time. Memory whose size is limited by a constant does
// lie on the stack, which may be too small for it.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// In id order; none of a nest with GPU kernels, or with few Funcs at root. A slot grows to the largest Func that it has
// held. So Funcs that are much smaller than the largest are left out.
std::vector<FuncId> pooled_storage(const LoopNest &nest);

}  // namespace cryolite
