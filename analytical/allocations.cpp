#include "analytical/allocations.h"

#include <algorithm>

namespace cryolite {

void Allocations::add(const KernelAllocations &kernel) {
    for (double block : {kernel.root_bytes, kernel.largest_loop_bytes})
        if (!is_mapped(block)) largest_ = std::max(largest_, block);
    if (!is_mapped(kernel.root_bytes)) root_bytes_ += kernel.root_bytes;
}

double Allocations::fresh_share(double bytes, double beside) const {
    const double kept = static_cast<double>(machine_.arena_kept_bytes);
    const double threshold = largest_ >= kept ? 2 * largest_ : kept;
    return bytes + beside >= threshold && bytes > kept ? (bytes - kept) / bytes : 0;
}

double Allocations::fresh_share_alone(const Machine &machine, double bytes, double largest) {
    if (is_mapped(machine, largest)) return 1;
    Allocations alone(machine);
    alone.largest_ = largest;
    return alone.fresh_share(bytes, 0);
}

double Allocations::fresh_root(const KernelAllocations &kernel) const {
    return is_mapped(kernel.root_bytes)
               ? 1
               : fresh_share(root_bytes_, static_cast<double>(machine_.arena_kept_bytes));
}

double Allocations::fresh_loops(const KernelAllocations &kernel) const {
    return is_mapped(kernel.largest_loop_bytes) ? 1 : fresh_share(kernel.loop_bytes, 0);
}

double Allocations::fault_seconds(const KernelAllocations &kernel) const {
    return fresh_root(kernel) * kernel.root_fault_seconds +
           fresh_loops(kernel) * kernel.loop_fault_seconds;
}

}  // namespace cryolite
