// A nest with the costs of all its kernels. Nests that differ little from it are costed by it: a state of the search
// serves its children.
#pragma once

#include <vector>

#include "analytical/compile/compile_cost.h"
#include "analytical/kernel_cost.h"
#include "analytical/memory/allocations.h"
#include "code/kernel/kernels.h"

namespace cryolite {

struct KernelCosts {
    KernelFuncs members;  // the Func at root first
    double seconds = 0;   // without page faults, as in PricedKernel, with the noise
    double peak_bytes = 0;
    CompileCost compiling;
    bool too_large = false;
    KernelAllocations allocations;
    std::shared_ptr<const TouchedFuncs> touched;  // null if there is no GPU
};

// Immutable once made. Sums run in the order of `kernels`. So a sum that is continued equals a sum begun anew to the
// bit.
struct CostedNest {
    LoopNest nest;
    std::vector<KernelCosts> kernels;  // in id order of their roots
    std::vector<double>
        seconds_before;     // [i]: sum over the kernels before i; one more than kernels
    double peak_bytes = 0;  // of all kernels
    CompileCost compiling;  // of all kernels
    size_t num_too_large = 0;
    // The blocks that undecided Funcs would allocate at root, without mapped ones (allocations.h): their bytes, and the
    // place of the largest one in UndecidedBlocks.
    double undecided_bytes = 0;
    size_t largest_undecided = 0;
};

// The blocks that Funcs would allocate at root, without mapped ones. An undecided Func counts as stored at root.
// Otherwise the first Func at root would look free of page faults, and the second would pay for both.
class UndecidedBlocks {
public:
    UndecidedBlocks(const StageGraph &graph, const Machine &machine);

    double bytes(FuncId f) const { return bytes_[f.index()]; }
    // Bytes of all Funcs that the nest leaves undecided.
    double sum(const LoopNest &nest) const;
    // The place in the order of size of the largest block that the nest leaves undecided. The search starts at `from`.
    size_t largest(const LoopNest &nest, size_t from = 0) const;
    // The size of the block at that place.
    double block_at(size_t place) const {
        return place < by_size_.size() ? block_[by_size_[place].index()] : 0;
    }

private:
    std::vector<double> bytes_;    // by Func; 0 for a Func that makes no such block
    std::vector<double> block_;    // by Func: its largest block
    std::vector<FuncId> by_size_;  // Funcs that make a block, that with the largest first
};

}  // namespace cryolite
