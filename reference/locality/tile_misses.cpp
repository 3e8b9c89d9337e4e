#include "reference/locality/tile_misses.h"

#include <algorithm>
#include <cmath>

namespace cryolite::locality {

NestRuns::NestRuns(const PerfectNest &nest, int line_bytes, bool stores_bypass_caches)
    : nest_(&nest), line_bytes_(line_bytes) {
    for (const Reference &r : nest.references)
        if (r.reads || !stores_bypass_caches) references_.emplace_back(nest, r, line_bytes);
}

double working_set_bytes(const NestRuns &runs, std::span<const int64_t> box) {
    double bytes = 0;
    for (const ReferenceRuns &r : runs.references()) {
        const Runs touched = r.over(box);
        bytes += touched.count * std::max<double>(touched.bytes, runs.line_bytes());
    }
    return bytes;
}

namespace {

double misses_of(const Runs &touched, int line_bytes, bool streaming) {
    return thesis::cold_misses(touched.count, touched.bytes, line_bytes, streaming);
}

}  // namespace

double cold_misses(const NestRuns &runs, std::span<const int64_t> box, bool streaming) {
    double misses = 0;
    for (const ReferenceRuns &r : runs.references())
        misses += misses_of(r.over(box), runs.line_bytes(), streaming);
    return misses;
}

double expected_misses(const NestRuns &runs, const Tiling &tiling, int reuse_level,
                       bool streaming) {
    const PerfectNest &nest = runs.nest();
    const std::vector<int64_t> box = box_of(nest, tiling, reuse_level);
    if (reuse_level < 0) return cold_misses(runs, box, streaming);
    const auto reuse = static_cast<size_t>(reuse_level);
    std::vector<double> trips;
    for (size_t q = 0; q <= reuse; q++) trips.push_back(iterations(nest, tiling, q));
    const NestLevel &level = tiling.levels[reuse];
    double misses = 0;
    for (const ReferenceRuns &r : runs.references()) {
        double times =
            thesis::fetches(trips[reuse], r.renewed(level.loop, level.span, box, streaming));
        for (size_t q = 0; q < reuse; q++)
            times *= r.moves_with(tiling.levels[q].loop) ? trips[q] : std::ceil(trips[q]);
        misses += times * misses_of(r.over(box), runs.line_bytes(), streaming);
    }
    return misses;
}

int l1_reuse_level(const Tiling &tiling) {
    return static_cast<int>(std::min(tiling.first_intra + 1, tiling.levels.size())) - 1;
}

int l2_reuse_level(const Tiling &tiling) { return static_cast<int>(tiling.first_intra) - 1; }

int fitting_reuse_level(const NestRuns &runs, const Tiling &tiling, double cache_bytes) {
    const int last = static_cast<int>(tiling.levels.size()) - 1;
    int level = -1;
    while (level < last &&
           working_set_bytes(runs, box_of(runs.nest(), tiling, level)) > cache_bytes)
        level++;
    return level;
}

TileCost tile_cost(const NestRuns &runs, const Tiling &tiling, const Machine &machine) {
    const int l1 = l1_reuse_level(tiling), l2 = l2_reuse_level(tiling);
    TileCost cost;
    cost.l1_working_set_bytes = working_set_bytes(runs, box_of(runs.nest(), tiling, l1));
    cost.l2_working_set_bytes = working_set_bytes(runs, box_of(runs.nest(), tiling, l2));
    cost.l1_misses = expected_misses(runs, tiling, l1, machine.l1_prefetch_lines > 0);
    cost.l2_misses = expected_misses(runs, tiling, l2, machine.l2_prefetch_lines > 0);
    cost.cycles = thesis::miss_cycles(machine, 0) * cost.l1_misses +
                  thesis::miss_cycles(machine, 1) * cost.l2_misses;
    return cost;
}

std::string defect_of(const Machine &machine) {
    if (machine.caches.size() < 2)
        return "machine '" + machine.name + "' has no L2 cache: tiles are chosen for L1 and L2";
    for (const CacheLevel &c : machine.caches) {
        if (c.size_bytes < 1 || c.ways < 1 || c.line_bytes < 1 || !(c.core_bytes_per_cycle > 0))
            return "machine '" + machine.name +
                   "' has a cache without size, ways, line size or bandwidth";
    }
    if (!(machine.memory_core_bytes_per_cycle > 0))
        return "machine '" + machine.name + "' has no memory bandwidth";
    return "";
}

}  // namespace cryolite::locality
