// A schedule cut into kernels: the Funcs at root, each with all Funcs computed inside its loops. The counts of a kernel
// depend on the kernel alone, so they can be remembered by the kernel's key. Funcs not yet decided count as
// graph/facts/assumed_inlining.h says.
#pragma once

#include <vector>

#include "code/stage/expanded_stage.h"

namespace cryolite {

// The Func at root first, then the Funcs inside it, in id order.
using KernelFuncs = SmallVector<FuncId, 8>;

struct Kernel {
    KernelFuncs members;
    std::vector<uint64_t> key;  // hashes of the members' nests, ids of Funcs inlined into them
};

// All kernels of the Funcs decided so far, in id order of their roots.
std::vector<Kernel> kernels_of(const LoopNest &nest, StageExpander &expander);

// The kernel with these members.
Kernel kernel_of(const LoopNest &nest, KernelFuncs members, StageExpander &expander);

// The Func at root whose kernel computes `f`. f must be at root or computed in a loop.
FuncId root_of(const LoopNest &nest, FuncId f);
// The Funcs at root whose kernels depend on `f`, in id order. A Func at root or in a loop has one. An inlined Func, by
// decision or as assumed, has those of all Funcs that it is inlined into. An undecided Func that counts as stored at
// root has none.
SmallVector<FuncId, 8> roots_of(const LoopNest &nest, FuncId f);

uint64_t hash_of(const Kernel &kernel);

}  // namespace cryolite
