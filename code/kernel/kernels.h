// A schedule cut into kernels: what is at root, each with all that is computed inside its loops. What
// is counted of a kernel depends on the kernel alone (Funcs not yet decided count as
// graph/assumed_inlining.h says), so that it is remembered by the kernel's key.
#pragma once

#include <vector>

#include "code/stage/expanded_stage.h"

namespace cryolite {

// The Func at root first, then what is inside, in id order.
using KernelFuncs = SmallVector<FuncId, 8>;

struct Kernel {
    KernelFuncs members;
    std::vector<uint64_t> key;  // hashes of the members' nests and ids of what is inlined into them
};

// Of the Funcs decided so far, in id order.
std::vector<Kernel> kernels_of(const LoopNest &nest, StageExpander &expander);

// The one of those members.
Kernel kernel_of(const LoopNest &nest, KernelFuncs members, StageExpander &expander);

// Of a Func that is at root or computed in a loop: the Func at root whose kernel it is in.
FuncId root_of(const LoopNest &nest, FuncId f);
// The Funcs at root in whose kernels a Func has a part: its own, or those of all that it is inlined into,
// by decision or as assumed. In id order; none for an undecided Func that counts as stored at root.
SmallVector<FuncId, 8> roots_of(const LoopNest &nest, FuncId f);

uint64_t hash_of(const Kernel &kernel);

}  // namespace cryolite
