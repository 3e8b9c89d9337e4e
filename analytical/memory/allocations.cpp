#include "analytical/memory/allocations.h"

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
    for (size_t i = 0; i < largest_.size(); i++) {
        const LoopBlocks &loops = kernel.in_loops[i];
        for (double block : {kernel.largest_root_block, loops.largest})
            if (!is_mapped(block)) largest_[i] = std::max(largest_[i], block);
        if (is_mapped(loops.largest)) continue;
        const HeapLevel &all = loops.levels[0];
        loop_extents_[i] += all.extent;
        if (all.extent <= loop_extent_[i]) continue;
        loop_extent_[i] = all.extent;
        loop_error_[i] = size_error * all.inexact * all.extent;
    }
    if (!is_mapped(kernel.largest_root_block)) root_bytes_ += kernel.root_bytes;
}

double Allocations::trim_threshold(double largest) const {
    const double kept = static_cast<double>(machine_.arena_kept_bytes);
    return largest >= kept ? 2 * largest : kept;
}

double Allocations::likely_trimmed(double free_bytes, double error, double largest) const {
    const double below = trim_threshold(largest) - free_bytes;
    if (below <= 0) return 1;
    return error > 0 ? std::max(0.0, 1 - below / error) : 0;
}

double Allocations::given_back_share(double held, double error, double largest) const {
    const double kept = static_cast<double>(machine_.arena_kept_bytes);
    return held > kept ? likely_trimmed(held + kept, error, largest) * (held - kept) / held : 0;
}

double Allocations::given_back_with_loops(size_t bounds) const {
    return given_back_share(root_bytes_ + loop_extent_[bounds], loop_error_[bounds],
                            largest_[bounds]);
}

double Allocations::fresh_share_alone(const Machine &machine, double bytes, double largest) {
    if (is_mapped(machine, largest)) return 1;
    if (bytes < Allocations(machine).trim_threshold(largest)) return 0;
    return std::max(0.0, bytes - static_cast<double>(machine.arena_kept_bytes)) / bytes;
}

double Allocations::fresh_root(const KernelAllocations &kernel) const {
    if (is_mapped(kernel.largest_root_block)) return 1;
    double fresh = 0;
    for (size_t i = 0; i < largest_.size(); i++)
        fresh += std::max(given_back_share(root_bytes_ + undecided_bytes_, 0, largest_[i]),
                          given_back_with_loops(i));
    return fresh / static_cast<double>(largest_.size());
}

double Allocations::fresh_in_tasks(const LoopBlocks &blocks, double beside, double largest) const {
    const double kept = static_cast<double>(machine_.arena_kept_bytes);
    double fresh = 0, times = 0;
    for (size_t l = 0; l < blocks.levels.size() && blocks.levels[l].times > 0; l++) {
        const HeapLevel &level = blocks.levels[l];
        const double error = size_error * level.inexact * trim_threshold(largest);
        times =
            std::max(times, level.times * likely_trimmed(level.extent + beside, error, largest));
        const double inner = l + 1 < blocks.levels.size() ? blocks.levels[l + 1].extent : 0;
        fresh += times * (std::max(kept, level.extent) - std::max(kept, inner));
    }
    return fresh;
}

double Allocations::fresh_loops(const KernelAllocations &kernel, size_t bounds) const {
    const LoopBlocks &blocks = kernel.in_loops[bounds];
    if (is_mapped(blocks.largest)) return 1;
    // The calling thread is one of as many as there are cores.
    const double kept = static_cast<double>(machine_.arena_kept_bytes);
    const double cores = std::max(1, machine_.cores);
    const double main = fresh_in_tasks(blocks, kept, largest_[bounds]);
    const double others = fresh_in_tasks(blocks, 0, largest_[bounds]);
    // What the end of the run gives back of the main arena is fresh once. Kernels follow each other there, so that the
    // widest one's bytes are shared out among all.
    double once = 0;
    if (loop_extents_[bounds] > 0)
        once = given_back_with_loops(bounds) * loop_extent_[bounds] * blocks.levels[0].extent /
               loop_extents_[bounds];
    return std::min(1.0, (others + (std::max(main, once) - others) / cores) / kernel.loop_bytes);
}

double Allocations::fresh_loops(const KernelAllocations &kernel) const {
    if (kernel.loop_bytes <= 0) return 0;
    double fresh = 0;
    for (size_t i = 0; i < largest_.size(); i++) fresh += fresh_loops(kernel, i);
    return fresh / static_cast<double>(largest_.size());
}

double Allocations::fault_seconds(const KernelAllocations &kernel) const {
    return fresh_root(kernel) * kernel.root_fault_seconds +
           fresh_loops(kernel) * kernel.loop_fault_seconds;
}

}  // namespace cryolite
