// When the Funcs that a kernel stores in its loops hold their memory.
#pragma once

#include <vector>

#include "base/flat_map.h"
#include "code/kernel/kernel_code.h"

namespace cryolite {

// In steps of order_of(): memory is taken before `begin` runs and given back before `end` does.
struct Lifetime {
    size_t begin = 0, end = 0;
};

// When each stage of the kernel runs: 0 first. Readers come first in the kernel's stages, but the stages of one Func in
// their order.
std::vector<size_t> order_of(const std::vector<StageCode> &stages);

// Of the Funcs that are stored in loops. Halide gives a block back after its last reader, at the level where the block
// is stored. So where the reader is computed in a loop inside of that level, the block lives until this loop ends, and
// one whose Func is computed in the loop lives from its beginning on.
FlatMap<FuncId, Lifetime> lifetimes(const KernelCode &code);

}  // namespace cryolite
