// From a kernel's raw terms to its seconds: the correction first, then the overlap.
#pragma once

#include "analytical/correction.h"
#include "analytical/kernel_cost.h"

namespace cryolite {

struct PricedKernel {
    double seconds = 0;  // without page faults, which depend on the other kernels' allocations
    KernelAllocations allocations;  // with the seconds that their pages take if all are fresh
};
PricedKernel priced(const KernelTerms &kernel, const Correction &correction,
                    const OverlapRule &rule);

// The same, stage by stage. fresh_root, fresh_loops: the shares of the pages that are fresh (allocations.h).
std::vector<StageTime> explained(const KernelTerms &kernel, const Correction &correction,
                                 const OverlapRule &rule, double fresh_root, double fresh_loops);

}  // namespace cryolite
