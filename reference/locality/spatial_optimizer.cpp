#include "reference/locality/spatial_optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/locality/loop_order.h"
#include "reference/locality/tile_sizes.h"

namespace cryolite::locality {
namespace {

constexpr int64_t max_tilings = 100'000;

double elements_per_line(const Reference &reference, int line_bytes) {
    return std::max(1, line_bytes / reference.element_bytes);
}

// The loops that walk the columns of transposed arrays.
std::vector<size_t> height_loops(const PerfectNest &nest, int line_bytes) {
    std::vector<size_t> loops;
    for (const Reference &r : nest.references) {
        if (!is_transposed(nest, r, line_bytes)) continue;
        size_t height = 0;
        double smallest = std::numeric_limits<double>::infinity();
        for (size_t l = 0; l < nest.loops.size(); l++) {
            const double stride = *stride_bytes(r, l);
            if (nest.loops[l].bound < 2 || stride == 0 || stride >= smallest) continue;
            smallest = stride;
            height = l;
        }
        if (std::find(loops.begin(), loops.end(), height) == loops.end()) loops.push_back(height);
    }
    return loops;
}

}  // namespace

double spatial_partial_cost(const PerfectNest &nest, const Reference &reference,
                            std::span<const int64_t> tile, size_t width_loop, int line_bytes) {
    double misses = ReferenceRuns(nest, reference, line_bytes).over(tile).count;
    for (size_t l = 0; l < tile.size(); l++) {
        const double tiles =
            static_cast<double>(nest.loops[l].bound) / static_cast<double>(tile[l]);
        misses *= moves_with(reference, l) ? tiles : std::ceil(tiles);
    }
    const double width = static_cast<double>(tile[width_loop]);
    return thesis::spatial_cost(misses, width, elements_per_line(reference, line_bytes));
}

namespace {

class SpatialSearch {
public:
    SpatialSearch(const PerfectNest &nest, const Machine &machine)
        : nest_(nest),
          machine_(machine),
          line_(machine.line_bytes()),
          bypass_(use_nontemporal_stores(nest, machine)),
          runs_(nest, line_, bypass_),
          bounds_(nest, machine, bypass_),
          width_(column_loop(nest)) {
        for (const Reference &r : nest.references)
            granule_ = std::max<int64_t>(granule_, line_ / r.element_bytes);
    }

    Result<LocalityPlan> run() {
        const std::vector<size_t> heights = height_loops(nest_, line_);
        if (heights.empty()) return Error{"no array of the nest is transposed"};
        for (const size_t height : heights) try_heights(height);
        if (compared_ == 0)
            return Error{"no tile of the nest fits the caches of machine '" + machine_.name + "'"};
        LocalityPlan plan =
            plan_for(nest_, machine_, Locality::Spatial, best_tile_, std::move(best_tiling_));
        plan.spatial_cost = best_cost_;
        plan.tilings_compared = compared_;
        return plan;
    }

private:
    // Outside of the tiles, in tiles of one: all loops but the two of the tile.
    void try_heights(size_t height) {
        std::vector<int64_t> tile(nest_.loops.size(), 1);
        std::vector<size_t> inter;
        for (size_t l = nest_.loops.size(); l-- > 0;)
            if (l != width_ && l != height) inter.push_back(l);
        inter.push_back(height);
        inter.push_back(width_);
        const std::vector<size_t> intra{height, width_};
        const double required = std::min<double>(machine_.cores, tasks(tile));

        std::vector<std::vector<int64_t>> sizes{tile_sizes(nest_.loops[width_].bound, granule_),
                                                tile_sizes(nest_.loops[height].bound, 1)};
        thin_out(sizes, max_tilings);
        for (const int64_t tile_width : sizes[0]) {
            tile[width_] = tile_width;
            const int64_t most = bounds_.largest(height, 1, tile);
            for (const int64_t tile_height : sizes[1]) {
                if (tile_height > most) break;
                tile[height] = tile_height;
                if (tasks(tile) >= required) consider(tile, make_tiling(nest_, tile, inter, intra));
            }
            tile[height] = 1;
        }
    }

    // (4.13) for the rows of tiles, which run in parallel as one loop.
    double tasks(std::span<const int64_t> tile) const {
        double n = 1;
        for (size_t l = 0; l < tile.size(); l++) {
            if (l == width_ || !nest_.loops[l].parallelizable) continue;
            n *=
                std::ceil(static_cast<double>(nest_.loops[l].bound) / static_cast<double>(tile[l]));
        }
        return n;
    }

    void consider(std::span<const int64_t> tile, const Tiling &tiling) {
        const std::vector<int64_t> row = box_of(nest_, tiling, l1_reuse_level(tiling));
        if (!keeps_order(nest_, tiling) ||
            working_set_bytes(runs_, row) > thesis::usable_bytes(machine_, 0) ||
            working_set_bytes(runs_, tile) > thesis::usable_bytes(machine_, 1)) {
            return;
        }
        compared_++;
        double cost = 0;
        for (const Reference &r : nest_.references)
            if (r.reads) cost += spatial_partial_cost(nest_, r, tile, width_, line_);
        if (cost >= best_cost_) return;
        best_cost_ = cost;
        best_tile_.assign(tile.begin(), tile.end());
        best_tiling_ = tiling;
    }

    const PerfectNest &nest_;
    const Machine &machine_;
    const int line_;
    const bool bypass_;
    const NestRuns runs_;
    TileBounds bounds_;
    const size_t width_;
    int64_t granule_ = 1;  // iterations of the width within a line of every array

    double best_cost_ = std::numeric_limits<double>::infinity();
    std::vector<int64_t> best_tile_;
    Tiling best_tiling_;
    int64_t compared_ = 0;
};

}  // namespace

Result<LocalityPlan> optimize_spatial(const PerfectNest &nest, const Machine &machine) {
    if (std::string defect = defect_of(nest); !defect.empty()) return Error{std::move(defect)};
    if (std::string defect = defect_of(machine); !defect.empty()) return Error{std::move(defect)};
    return SpatialSearch(nest, machine).run();
}

}  // namespace cryolite::locality
