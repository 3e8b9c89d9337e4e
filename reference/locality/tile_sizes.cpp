#include "reference/locality/tile_sizes.h"

#include <algorithm>
#include <cmath>

namespace cryolite::locality {

std::vector<int64_t> tile_sizes(int64_t bound, int64_t granule) {
    constexpr int64_t per_octave = 8;
    std::vector<int64_t> sizes{bound};
    const int64_t granules = (bound + granule - 1) / granule;
    for (int64_t octave = 1; octave < granules; octave *= 2) {
        for (int64_t part = 0; part < per_octave; part++) {
            const int64_t size = octave + octave * part / per_octave;
            const int64_t tiles = (granules + size - 1) / size;
            const int64_t even = (granules + tiles - 1) / tiles * granule;
            if (even < bound) sizes.push_back(even);
        }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

void thin_out(std::vector<std::vector<int64_t>> &sizes, int64_t budget) {
    const auto product = [&] {
        double p = 1;
        for (const std::vector<int64_t> &s : sizes) p *= static_cast<double>(s.size());
        return p;
    };
    while (product() > static_cast<double>(budget)) {
        const auto longest =
            std::max_element(sizes.begin(), sizes.end(),
                             [](const auto &a, const auto &b) { return a.size() < b.size(); });
        if (longest->size() > 2) {
            std::vector<int64_t> kept;
            for (size_t i = 0; i < longest->size(); i++)
                if (i % 2 == 0 || i + 1 == longest->size()) kept.push_back((*longest)[i]);
            *longest = std::move(kept);
            continue;
        }
        const auto shortest =
            std::min_element(sizes.begin(), sizes.end(), [](const auto &a, const auto &b) {
                return std::pair(a.size() < 2, a.back()) < std::pair(b.size() < 2, b.back());
            });
        if (shortest->size() < 2) return;
        shortest->erase(shortest->begin());
    }
}

TileBounds::TileBounds(const PerfectNest &nest, const Machine &machine, bool stores_bypass_caches)
    : walks_(nest.loops.size()) {
    for (const NestLoop &l : nest.loops) bounds_.push_back(l.bound);
    for (const size_t level : {size_t{0}, size_t{1}})
        caches_.push_back(thesis::emulated_cache(machine, level));
    const int line = machine.line_bytes();
    for (const Reference &r : nest.references) {
        if (r.is_gather() || (!r.reads && stores_bypass_caches)) continue;
        for (size_t l = 0; l < nest.loops.size(); l++) {
            const double pitch = *stride_bytes(r, l);
            if (pitch >= line) walks_[l].push_back({runs_.size(), std::llround(pitch)});
        }
        runs_.emplace_back(nest, r, line);
    }
}

int64_t TileBounds::largest(size_t loop, size_t level, std::span<const int64_t> tile) {
    int64_t bound = bounds_[loop];
    for (const Walk &w : walks_[loop]) {
        const int64_t row = std::llround(std::ceil(runs_[w.reference].over(tile).bytes));
        const auto [it, fresh] = memo_.try_emplace({level, row, w.pitch_bytes, bounds_[loop]}, 0);
        if (fresh) {
            it->second = thesis::rows_without_interference(caches_[level],
                                                           {0, row, w.pitch_bytes, bounds_[loop]});
        }
        bound = std::min(bound, it->second);
    }
    return bound;
}

}  // namespace cryolite::locality
