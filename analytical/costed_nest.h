// A nest with the costs of all its kernels, by which nests that differ little from it are costed: a state
// of the search, for its children.
#pragma once

#include <vector>

#include "analytical/allocations.h"
#include "analytical/compile_cost.h"
#include "code/kernel/kernels.h"

namespace cryolite {

struct KernelCosts {
    KernelFuncs members;  // the Func at root first
    double seconds = 0;   // without page faults, as KernelTime's
    double peak_bytes = 0;
    CompileCost compiling;
    bool too_large = false;
    KernelAllocations allocations;
};

// Immutable once made. Sums run in the order of `kernels`, so that they are the same to the bit whether
// they are continued or begun anew.
struct CostedNest {
    LoopNest nest;
    std::vector<KernelCosts> kernels;    // in id order of their roots
    std::vector<double> seconds_before;  // [i]: of the kernels before i; one more than kernels
    double peak_bytes = 0;               // of all
    CompileCost compiling;               // of all
    size_t num_too_large = 0;
    // Of what undecided Funcs would allocate at root, what is not mapped (allocations.h): bytes, and
    // where the largest stands in UndecidedBlocks.
    double undecided_bytes = 0;
    size_t largest_undecided = 0;
};

// What Funcs would allocate at root, as far as it is not mapped. An undecided Func counts as one at root:
// without it the first Func at root would look free of page faults and the second would pay for both.
class UndecidedBlocks {
public:
    UndecidedBlocks(const StageGraph &graph, const Machine &machine);

    double bytes(FuncId f) const { return bytes_[f.index()]; }
    // Of all that the nest leaves undecided.
    double sum(const LoopNest &nest) const;
    // The place, by size, of the largest that the nest leaves undecided, looked for from `from` on.
    size_t largest(const LoopNest &nest, size_t from = 0) const;
    double bytes_at(size_t place) const {
        return place < by_size_.size() ? bytes(by_size_[place]) : 0;
    }

private:
    std::vector<double> bytes_;    // by Func
    std::vector<FuncId> by_size_;  // those that have any, the largest first
};

}  // namespace cryolite
