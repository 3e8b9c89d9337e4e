#include "tools/calibrate/walk_sizes.h"

#include <algorithm>

#include "tools/calibrate/walked_memory.h"

namespace cryolite::calibrate {
namespace {

constexpr int64_t page = 4096;

int64_t whole_pages(int64_t bytes) { return std::max(page, bytes / page * page); }

int64_t share(const Machine &machine, size_t level) {
    const CacheLevel &c = machine.caches[level];
    return c.size_bytes / std::clamp(c.cores_sharing, 1, std::max(1, machine.cores));
}

// Half as much again as the level before is enough to find it empty every time; a last level that
// is not much larger than the one before it holds that together with it.
int64_t bytes_for(int64_t held, int64_t held_before) {
    return whole_pages(std::max(held / 2, held_before * 3 / 2));
}

}  // namespace

WalkSizes cache_walk_sizes(const Machine &machine, size_t level) {
    return {bytes_for(machine.caches[level].size_bytes,
                      level ? machine.caches[level - 1].size_bytes : 0),
            bytes_for(share(machine, level), level ? share(machine, level - 1) : 0)};
}

WalkSizes memory_walk_sizes(const Machine &machine) {
    constexpr int64_t least = 16 << 20;
    const size_t last = machine.caches.size() - 1;
    const int64_t spare = spare_memory_bytes();
    return {whole_pages(std::min(std::max(4 * machine.caches[last].size_bytes, least), spare / 4)),
            whole_pages(std::min(std::max(4 * share(machine, last), least),
                                 spare / 4 / std::max(1, machine.cores)))};
}

}  // namespace cryolite::calibrate
