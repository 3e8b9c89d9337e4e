#include "reference/reuse/tiling_analysis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cryolite::reuse {
namespace {

constexpr size_t max_tiled_loops = 3;
constexpr size_t few_members = 4;  // of a segment, for which Options::max_tilings holds
constexpr int64_t max_sizes_looked_at =
    1024;  // of one step of tile_sizes(); loops may be very long

struct LoopClasses {
    std::vector<int> few, tiled, untiled;  // Stage::loops, innermost first
};

LoopClasses classify(const Stage &stage, const Intervals &ranges, const Options &options) {
    const bool reductions_keep_order =
        std::any_of(stage.loops.begin(), stage.loops.end(),
                    [](const StageLoop &l) { return l.is_reduction && !l.reorderable; });
    LoopClasses c;
    std::vector<int> pure;
    for (size_t l = 0; l < ranges.size(); l++) {
        const int loop = static_cast<int>(l);
        const bool is_reduction = stage.loops[l].is_reduction;
        if (is_reduction && reductions_keep_order) {
            c.untiled.push_back(loop);
        } else if (ranges[l].extent() <= options.few_iterations) {
            c.few.push_back(loop);
        } else {
            (is_reduction ? c.untiled : c.tiled).push_back(loop);
        }
        if (!is_reduction && ranges[l].extent() > 1) pure.push_back(loop);
    }
    const auto shorter = [&](int a, int b) {
        return ranges[static_cast<size_t>(a)].extent() < ranges[static_cast<size_t>(b)].extent();
    };
    if (c.tiled.empty() && !pure.empty()) {
        const int longest = *std::max_element(pure.begin(), pure.end(), shorter);
        c.tiled = {longest};
        std::erase(c.few, longest);
    }
    while (c.tiled.size() > max_tiled_loops) {
        // The last of equals, so that the contiguous dimension stays.
        const auto least = std::min_element(c.tiled.rbegin(), c.tiled.rend(), shorter);
        c.untiled.push_back(*least);
        c.tiled.erase(std::next(least).base());
    }
    return c;
}

std::vector<std::vector<int>> permutations(std::vector<int> loops) {
    std::vector<std::vector<int>> all;
    std::sort(loops.begin(), loops.end());
    do {
        all.push_back(loops);
    } while (std::next_permutation(loops.begin(), loops.end()));
    return all;
}

// 5.15, per loop of the driver.
std::vector<int64_t> least_tiles(const TiledNest &nest, const std::vector<StageLevels> &levels,
                                 const std::vector<MemberOverlaps> &overlaps) {
    std::vector<int64_t> least(nest.ranges.size(), 1);
    for (size_t i = 0; i < levels.size(); i++) {
        if (levels[i].inlined) continue;
        for (const DriverOverlap &o : overlaps[i].along) {
            const auto l = static_cast<size_t>(o.loop);
            const int64_t extent = nest.ranges[l].extent();
            const auto v = static_cast<int64_t>(std::ceil(o.iterations));
            least[l] = std::max(least[l], o.full ? extent : std::min(v, extent));
        }
    }
    return least;
}

class TilingAnalysis {
public:
    TilingAnalysis(const StageGraph &graph, const Segment &segment, const CacheBudget &machine,
                   const Options &options)
        : machine_(machine),
          options_(options),
          regions_(graph, segment),
          overlaps_(member_overlaps(regions_)),
          multiple_(innermost_multiple(graph.func(segment.output), machine)) {
        nests_ = loop_orders(graph, segment.driver, machine, options);
    }

    std::optional<TiledSegment> run() {
        for (const Parallelism p :
             {Parallelism::Enough, Parallelism::AllThereIs, Parallelism::Any}) {
            if (!best_) try_all(p);
        }
        return std::move(best_);
    }

private:
    // What is asked of 5.14.
    enum class Parallelism {
        Enough,      // a tile for every thread
        AllThereIs,  // loops shorter than that: a tile for every iteration
        Any,         // where nothing is fused, and hence nothing gained by going without
    };

    void try_all(Parallelism parallelism) {
        for (const TiledNest &nest : nests_) {
            const std::vector<StageLevels> levels = stage_levels(regions_, overlaps_, nest);
            const bool fused = std::any_of(levels.begin(), levels.end(),
                                           [](const StageLevels &s) { return !s.inlined; });
            if (fused && parallelism == Parallelism::Any) continue;
            TiledNest tiled = nest;
            try_tiles(tiled, levels, sizes_of(nest, levels, parallelism), 0);
        }
    }

    // Per loop of the driver.
    std::vector<std::vector<int64_t>> sizes_of(const TiledNest &nest,
                                               const std::vector<StageLevels> &levels,
                                               Parallelism parallelism) const {
        const std::vector<int64_t> least = least_tiles(nest, levels, overlaps_);
        std::vector<std::vector<int64_t>> sizes;
        for (const Interval &range : nest.ranges) sizes.push_back({range.extent()});
        for (size_t p = 0; p < nest.order.size(); p++) {
            const TiledLoop &at = nest.order[p];
            if (!at.between_tiles) continue;
            const auto l = static_cast<size_t>(at.loop);
            const int64_t extent = nest.ranges[l].extent();
            const bool innermost =
                nest.vector_level >= 0 &&
                nest.order[static_cast<size_t>(nest.vector_level)].loop == at.loop;
            int64_t most = extent;
            if (static_cast<int>(p) == nest.parallel_level && parallelism != Parallelism::Any) {
                most = extent / machine_.threads;
                if (parallelism == Parallelism::AllThereIs) most = std::max<int64_t>(1, most);
            }
            sizes[l] = tile_sizes(extent, innermost ? multiple_ : 1, least[l], most);
        }
        thin(sizes);
        return sizes;
    }

    // Drops every other size of the loop with the most until few enough shapes are left. A shape of a long segment
    // takes as long as many of a short one.
    void thin(std::vector<std::vector<int64_t>> &sizes) const {
        const size_t most = std::max<size_t>(
            1, options_.max_tilings * few_members / std::max(few_members, regions_.num_members()));
        for (;;) {
            size_t shapes = 1;
            for (const auto &s : sizes) shapes *= std::max<size_t>(1, s.size());
            const auto longest =
                std::max_element(sizes.begin(), sizes.end(),
                                 [](const auto &a, const auto &b) { return a.size() < b.size(); });
            if (shapes <= most || longest->size() < 2) return;
            std::vector<int64_t> kept;
            for (size_t k = longest->size(); k-- > 0;) {
                if ((longest->size() - 1 - k) % 2 == 0) kept.push_back((*longest)[k]);
            }
            std::reverse(kept.begin(), kept.end());
            *longest = std::move(kept);
        }
    }

    void try_tiles(TiledNest &nest, const std::vector<StageLevels> &levels,
                   const std::vector<std::vector<int64_t>> &sizes, size_t loop) {
        if (loop < sizes.size()) {
            for (int64_t t : sizes[loop]) {
                nest.tile[loop] = t;
                try_tiles(nest, levels, sizes, loop + 1);
            }
            return;
        }
        const SegmentCost cost = segment_cost(regions_, nest, levels, machine_, options_);
        if (!fits(cost, machine_)) return;
        if (best_ && cost.total >= best_->cost.total) return;
        best_ = TiledSegment{regions_.segment(), nest, levels, overlaps_, cost};
    }

    const CacheBudget &machine_;
    const Options &options_;
    SegmentRegions regions_;
    std::vector<MemberOverlaps> overlaps_;
    int64_t multiple_;
    std::vector<TiledNest> nests_;
    std::optional<TiledSegment> best_;
};

}  // namespace

int64_t innermost_multiple(const Func &output, const CacheBudget &machine) {
    const int bytes = std::max(1, output.values.empty() ? 1 : output.values[0].bytes());
    return std::max<int64_t>(1, std::lcm(machine.line_bytes, machine.vector_bytes) / bytes);
}

std::vector<int64_t> tile_sizes(int64_t extent, int64_t multiple, int64_t minimum,
                                int64_t maximum) {
    std::vector<int64_t> sizes;
    const auto add = [&](int64_t size) {
        if (size >= minimum && size <= maximum && size < extent) sizes.push_back(size);
    };
    for (int64_t k = 1; k <= 8; k++) add(k * multiple);
    for (int64_t octave = 8; octave * multiple < extent; octave *= 2) {
        for (int64_t quarter = 4; quarter < 8; quarter++) {
            const int64_t from = octave * quarter / 4 * multiple;
            const int64_t to = octave * (quarter + 1) / 4 * multiple;
            // The largest size of the step that leaves no rest, if it is found soon.
            const int64_t lowest = std::max(from, to - max_sizes_looked_at * multiple);
            int64_t best = to;
            while (best > lowest && extent % best != 0) best -= multiple;
            add(best > lowest ? best : to);
        }
    }
    if (extent >= minimum && extent <= maximum) sizes.push_back(extent);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::vector<TiledNest> loop_orders(const StageGraph &graph, StageId driver,
                                   const CacheBudget &machine, const Options &options) {
    const Stage &stage = graph.stage(driver);
    const Func &func = graph.func_of(driver);
    TiledNest plain;
    plain.stage = driver;
    plain.ranges.resize(stage.loops.size());
    graph.loop_ranges(stage, func.root_region, plain.ranges);
    for (const Interval &range : plain.ranges) plain.tile.push_back(range.extent());
    const LoopClasses loops = classify(stage, plain.ranges, options);

    std::vector<TiledNest> all;
    for (const std::vector<int> &inside : permutations(loops.tiled)) {
        for (const std::vector<int> &between : permutations(loops.tiled)) {
            TiledNest nest = plain;
            for (int l : loops.few) nest.order.push_back({l, false});
            for (int l : inside) nest.order.push_back({l, false});
            for (int l : loops.untiled) nest.order.push_back({l, false});
            for (int l : between) nest.order.push_back({l, true});
            if (!inside.empty()) {
                const auto x = static_cast<size_t>(inside[0]);
                if (stage.loops[x].vectorizable && plain.ranges[x].extent() > 1) {
                    nest.vector_level = static_cast<int>(loops.few.size());
                    const int bytes = std::max(1, func.bytes_per_point());
                    const int64_t lanes = std::max(1, machine.vector_bytes / bytes);
                    nest.vector_width = std::min(lanes, plain.ranges[x].extent());
                }
                if (stage.loops[static_cast<size_t>(between.back())].parallelizable) {
                    nest.parallel_level = static_cast<int>(nest.order.size()) - 1;
                }
            }
            all.push_back(std::move(nest));
        }
    }
    return all;
}

std::optional<TiledSegment> analyse_tiling(const StageGraph &graph, const Segment &segment,
                                           const CacheBudget &machine, const Options &options) {
    return TilingAnalysis(graph, segment, machine, options).run();
}

}  // namespace cryolite::reuse
