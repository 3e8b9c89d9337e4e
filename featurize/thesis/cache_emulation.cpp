#include "featurize/thesis/cache_emulation.h"

#include <algorithm>
#include <vector>

namespace cryolite::thesis {
namespace {

int64_t effective_ways(const Machine &machine, size_t level) {
    const CacheLevel &c = machine.caches[level];
    return std::max(1, c.ways / std::clamp(c.cores_sharing, 1, std::max(1, machine.cores)));
}

}  // namespace

EmulatedCache emulated_cache(const Machine &machine, size_t level) {
    const CacheLevel &c = machine.caches[level];
    EmulatedCache cache;
    cache.line_bytes = c.line_bytes;
    cache.ways = effective_ways(machine, level);
    cache.sets = c.size_bytes / (int64_t{c.ways} * c.line_bytes);
    if (level == 0) {
        cache.prefetch_lines = cache.prefetch_distance = machine.l1_prefetch_lines;
    } else {
        cache.sets /= 2;
        cache.prefetch_lines = machine.l2_prefetch_lines;
        cache.prefetch_distance = machine.l2_prefetch_distance_lines;
    }
    cache.sets = std::max<int64_t>(1, cache.sets);
    return cache;
}

double usable_bytes(const Machine &machine, size_t level) {
    const CacheLevel &c = machine.caches[level];
    const double share =
        static_cast<double>(effective_ways(machine, level)) / static_cast<double>(c.ways);
    return static_cast<double>(c.size_bytes) * share * (level == 0 ? 1.0 : 0.5);
}

int64_t rows_without_interference(const EmulatedCache &cache, const TileRows &tile) {
    std::vector<int64_t> filled(static_cast<size_t>(cache.sets), 0);
    int64_t next_line = 0;  // all lines before it that any row needs are in
    for (int64_t row = 0; row < tile.rows; row++) {
        const int64_t begin = tile.first_byte + row * tile.pitch_bytes;
        const int64_t first = begin / cache.line_bytes;
        const int64_t last = (begin + tile.row_bytes - 1) / cache.line_bytes;
        const int64_t ahead =
            std::min((last - first + 1) * cache.prefetch_lines, cache.prefetch_distance);
        for (int64_t line = std::max(first, next_line); line <= last + ahead; line++) {
            if (filled[static_cast<size_t>(line % cache.sets)]++ == cache.ways) return row;
            next_line = line + 1;
        }
        if (tile.pitch_bytes == 0) return tile.rows;
    }
    return tile.rows;
}

}  // namespace cryolite::thesis
