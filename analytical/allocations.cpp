#include "analytical/allocations.h"

#include <algorithm>

namespace cryolite {

double largest_block(const Func &func, double bytes) {
    double all = 0, widest = 0;
    for (const ScalarType &value : func.values) {
        all += value.bits;
        widest = std::max<double>(widest, value.bits);
    }
    return all > 0 ? bytes * widest / all : bytes;
}

void Allocations::add(const KernelAllocations &kernel) {
    for (double block : {kernel.largest_root_block, kernel.largest_loop_block})
        if (!is_mapped(block)) largest_ = std::max(largest_, block);
    if (!is_mapped(kernel.largest_root_block)) root_bytes_ += kernel.root_bytes;
}

double Allocations::fresh_bytes(double bytes, double beside) const {
    const double kept = static_cast<double>(machine_.arena_kept_bytes);
    const double threshold = largest_ >= kept ? 2 * largest_ : kept;
    return bytes + beside >= threshold ? std::max(0.0, bytes - kept) : 0;
}

double Allocations::fresh_share_alone(const Machine &machine, double bytes, double largest) {
    if (is_mapped(machine, largest)) return 1;
    Allocations alone(machine);
    alone.largest_ = largest;
    return bytes > 0 ? alone.fresh_bytes(bytes, 0) / bytes : 0;
}

double Allocations::fresh_root(const KernelAllocations &kernel) const {
    if (is_mapped(kernel.largest_root_block)) return 1;
    if (root_bytes_ <= 0) return 0;
    return fresh_bytes(root_bytes_, static_cast<double>(machine_.arena_kept_bytes)) / root_bytes_;
}

double Allocations::fresh_loops(const KernelAllocations &kernel) const {
    if (is_mapped(kernel.largest_loop_block)) return 1;
    if (kernel.loop_bytes <= 0) return 0;
    // The calling thread is one of as many as there are cores.
    const double main =
        fresh_bytes(kernel.loop_extent, static_cast<double>(machine_.arena_kept_bytes));
    const double others = fresh_bytes(kernel.loop_extent, 0);
    const double fresh = others + (main - others) / std::max(1, machine_.cores);
    return std::min(1.0, fresh / kernel.loop_bytes);
}

double Allocations::fault_seconds(const KernelAllocations &kernel) const {
    return fresh_root(kernel) * kernel.root_fault_seconds +
           fresh_loops(kernel) * kernel.loop_fault_seconds;
}

}  // namespace cryolite
