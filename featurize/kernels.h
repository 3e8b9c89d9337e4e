// A schedule cut into kernels: what is at root, each with all that is computed inside its loops. What
// is counted of a kernel depends on the kernel alone (Funcs not yet decided count as
// graph/assumed_inlining.h says), so that it is remembered by the kernel's key.
#pragma once

#include <vector>

#include "featurize/expanded_stage.h"

namespace cryolite {

struct Kernel {
    // The Func at root first, then what is inside, in id order.
    SmallVector<FuncId, 8> members;
    std::vector<uint64_t> key;  // hashes of the members' nests and ids of what is inlined into them
};

// Of the Funcs decided so far, in id order.
std::vector<Kernel> kernels_of(const LoopNest &nest, StageExpander &expander);

uint64_t hash_of(const Kernel &kernel);

}  // namespace cryolite
