#include "featurize/gpu/mapping.h"

#include <algorithm>

#include "featurize/gpu/access.h"

namespace cryolite {

std::string validate(const GpuMapping &mapping) {
    std::array<int, 3> loops_of_dim{};
    for (const GpuLoop &l : mapping.loops) {
        if (l.extent < 1) return "a loop has no iterations";
        if (l.role != GpuLoopRole::Thread) continue;
        if (l.thread_dim < 0 || l.thread_dim > 2) return "a thread loop is neither x, y nor z";
        if (++loops_of_dim[static_cast<size_t>(l.thread_dim)] > 1)
            return "two thread loops of one dimension";
    }
    const std::array<int64_t, 3> used = stage_threads(mapping);
    int64_t threads = 1;
    for (size_t d = 0; d < 3; d++) {
        threads *= mapping.block_threads[d];
        if (used[d] > mapping.block_threads[d]) return "the block has fewer threads than the stage";
        if (threads < 1 || threads > max_threads_per_block) return "a block of 1 to 1024 threads";
    }
    for (int64_t extent : mapping.host_loops)
        if (extent < 1) return "a loop on the host has no iterations";
    if (mapping.realisation_depth > mapping.host_loops.size() + mapping.loops.size())
        return "the allocation is inside of more loops than there are";
    for (const GpuAccess &a : mapping.accesses) {
        if (a.strides.size() != mapping.loops.size()) return "an access needs a stride per loop";
        for (const GpuFraction &f : a.fractions) {
            if (f.strides.size() != mapping.loops.size())
                return "a fraction needs a stride per loop";
            if (f.divisor < 2) return "a fraction's divisor is 2 or more";
        }
        for (const GpuHostWalk &w : a.host_walks)
            if (w.loop >= mapping.host_loops.size() || w.positions < 1)
                return "an access moves with a loop on the host that is not there";
        if (a.offsets.empty()) return "an access needs an offset";
        if (a.element_bytes < 1 || a.element_bytes > 16 ||
            (a.element_bytes & (a.element_bytes - 1)) != 0)
            return "an element of 1, 2, 4, 8 or 16 bytes";
        if (a.joined < 1 || a.joined * a.element_bytes > 16 ||
            (a.joined > 1 && (a.joined_loop >= mapping.loops.size() ||
                              mapping.loops[a.joined_loop].extent % a.joined != 0)))
            return "neighbours that make no vector";
    }
    return "";
}

bool moves(const GpuAccess &access, size_t loop) {
    return access.strides[loop] != 0 ||
           std::ranges::any_of(access.fractions,
                               [&](const GpuFraction &f) { return f.strides[loop] != 0; });
}

std::array<int64_t, 3> stage_threads(const GpuMapping &mapping) {
    std::array<int64_t, 3> threads{1, 1, 1};
    for (const GpuLoop &l : mapping.loops)
        if (l.role == GpuLoopRole::Thread) threads[static_cast<size_t>(l.thread_dim)] = l.extent;
    return threads;
}

}  // namespace cryolite
