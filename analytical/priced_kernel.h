// From a kernel's raw terms to its seconds: the correction first, then the overlap.
#pragma once

#include "analytical/correction.h"
#include "analytical/kernel_cost.h"

namespace cryolite {

struct PricedKernel {
    double seconds = 0;  // without page faults, which depend on the other kernels' allocations
    KernelAllocations allocations;  // with the seconds of page faults if all pages are fresh
};
PricedKernel priced(const KernelTerms &kernel, const Correction &correction,
                    const OverlapRule &rule);

// The time of each stage, page faults included. fresh_root, fresh_loops: the shares of pages that are fresh, for
// storage at root and in loops (allocations.h).
std::vector<StageTime> explained(const KernelTerms &kernel, const Correction &correction,
                                 const OverlapRule &rule, double fresh_root, double fresh_loops);

}  // namespace cryolite
