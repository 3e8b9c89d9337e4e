#include "analytical/allocations.h"

#include <algorithm>

namespace cryolite {

namespace {

// How far the sizes of blocks in loops may be off, as a share (allocations.h).
constexpr double size_error = 0.1;

}  // namespace

double largest_block(const Func &func, double bytes) {
    double all = 0, widest = 0;
    for (const ScalarType &value : func.values) {
        all += value.bits;
        widest = std::max<double>(widest, value.bits);
    }
    return all > 0 ? bytes * widest / all : bytes;
}

void Allocations::add(const KernelAllocations &kernel) {
    for (size_t i = 0; i < largest_.size(); i++)
        for (double block : {kernel.largest_root_block, kernel.in_loops[i].largest})
            if (!is_mapped(block)) largest_[i] = std::max(largest_[i], block);
    if (!is_mapped(kernel.largest_root_block)) root_bytes_ += kernel.root_bytes;
}

double Allocations::trim_threshold(double largest) const {
    const double kept = static_cast<double>(machine_.arena_kept_bytes);
    return largest >= kept ? 2 * largest : kept;
}

double Allocations::fresh_bytes(double bytes, double beside, double largest) const {
    if (bytes + beside < trim_threshold(largest)) return 0;
    return std::max(0.0, bytes - static_cast<double>(machine_.arena_kept_bytes));
}

double Allocations::likely_fresh_bytes(double bytes, double beside, double largest) const {
    const double below = 1 - (bytes + beside) / trim_threshold(largest);
    const double likely = std::clamp(1 - below / size_error, 0.0, 1.0);
    return likely * std::max(0.0, bytes - static_cast<double>(machine_.arena_kept_bytes));
}

double Allocations::fresh_share_alone(const Machine &machine, double bytes, double largest) {
    if (is_mapped(machine, largest)) return 1;
    return bytes > 0 ? Allocations(machine).fresh_bytes(bytes, 0, largest) / bytes : 0;
}

double Allocations::fresh_root(const KernelAllocations &kernel) const {
    if (is_mapped(kernel.largest_root_block)) return 1;
    if (root_bytes_ <= 0) return 0;
    double fresh = 0;
    for (double largest : largest_)
        fresh += fresh_bytes(root_bytes_, static_cast<double>(machine_.arena_kept_bytes), largest);
    return fresh / static_cast<double>(largest_.size()) / root_bytes_;
}

double Allocations::fresh_loops(const KernelAllocations &kernel, const LoopBlocks &blocks,
                                double largest) const {
    if (is_mapped(blocks.largest)) return 1;
    // The calling thread is one of as many as there are cores.
    const double main =
        likely_fresh_bytes(blocks.extent, static_cast<double>(machine_.arena_kept_bytes), largest);
    const double others = likely_fresh_bytes(blocks.extent, 0, largest);
    const double fresh = others + (main - others) / std::max(1, machine_.cores);
    return std::min(1.0, fresh / kernel.loop_bytes);
}

double Allocations::fresh_loops(const KernelAllocations &kernel) const {
    if (kernel.loop_bytes <= 0) return 0;
    double fresh = 0;
    for (size_t i = 0; i < largest_.size(); i++)
        fresh += fresh_loops(kernel, kernel.in_loops[i], largest_[i]);
    return fresh / static_cast<double>(largest_.size());
}

double Allocations::fault_seconds(const KernelAllocations &kernel) const {
    return fresh_root(kernel) * kernel.root_fault_seconds +
           fresh_loops(kernel) * kernel.loop_fault_seconds;
}

}  // namespace cryolite
