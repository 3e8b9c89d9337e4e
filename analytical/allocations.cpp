#include "analytical/allocations.h"

#include <algorithm>

namespace cryolite {

void Allocations::add(const KernelAllocations &kernel) {
    for (double block : {kernel.root_bytes, kernel.largest_loop_bytes})
        if (!is_mapped(block)) largest_ = std::max(largest_, block);
    if (!is_mapped(kernel.root_bytes)) root_bytes_ += kernel.root_bytes;
}

bool Allocations::is_given_back(double bytes) const {
    return bytes >= std::max(static_cast<double>(machine_.arena_kept_bytes), 2 * largest_);
}

bool Allocations::root_is_fresh(const KernelAllocations &kernel) const {
    return is_mapped(kernel.root_bytes) || is_given_back(root_bytes_);
}

bool Allocations::loops_are_fresh(const KernelAllocations &kernel) const {
    return is_mapped(kernel.largest_loop_bytes) || is_given_back(kernel.loop_bytes);
}

double Allocations::fault_seconds(const KernelAllocations &kernel) const {
    return (root_is_fresh(kernel) ? kernel.root_fault_seconds : 0) +
           (loops_are_fresh(kernel) ? kernel.loop_fault_seconds : 0);
}

}  // namespace cryolite
