#include "reference/locality/loop_order.h"

#include <algorithm>

#include "featurize/thesis/equations.h"

namespace cryolite::locality {

double loop_distance(const PerfectNest &nest, const Tiling &tiling) {
    std::vector<thesis::OrderedLoop> loops;
    for (size_t q = 0; q < tiling.levels.size(); q++)
        loops.push_back({uint64_t{1} << tiling.levels[q].loop, iterations(nest, tiling, q)});
    return thesis::loop_distance(loops);
}

bool feeds_threads(int64_t bound, int64_t tile, int64_t threads) {
    return (bound + tile - 1) / tile >= threads;
}

namespace {

// Is there a loop besides the column, one that runs in parallel if that is asked?
bool has_row(const PerfectNest &nest, size_t column, bool parallel) {
    for (size_t l = 0; l < nest.loops.size(); l++)
        if (l != column && nest.loops[l].bound > 1 && (nest.loops[l].parallelizable || !parallel))
            return true;
    return false;
}

}  // namespace

int64_t required_tiles(const PerfectNest &nest, const Machine &machine) {
    if (nest.loops.empty()) return 1;
    const size_t column = column_loop(nest);
    const bool rows = has_row(nest, column, true);
    int64_t most = 1;
    for (size_t l = 0; l < nest.loops.size(); l++)
        if (nest.loops[l].parallelizable && (l != column || !rows))
            most = std::max(most, nest.loops[l].bound);
    return std::min<int64_t>(most, std::max(1, machine.cores));
}

bool may_lead(const PerfectNest &nest, std::span<const int64_t> tile, size_t loop,
              int64_t required) {
    const size_t column = column_loop(nest);
    const bool parallel = required > 1;
    if (parallel && !nest.loops[loop].parallelizable) return false;
    return feeds_threads(nest.loops[loop].bound, tile[loop], required) &&
           (loop != column || !has_row(nest, column, parallel));
}

namespace {

// The inter-tile loops between the leading and the last one, best first; see the header.
void sort_by_weight(const PerfectNest &nest, std::span<const int64_t> tile,
                    std::span<const size_t> intra, std::vector<size_t> &loops) {
    std::vector<double> rank(tile.size(), 0);
    double outside = 1;
    for (size_t l : intra) {
        const auto in_tile = static_cast<double>(tile[l]);
        const double trips = static_cast<double>(nest.loops[l].bound) / in_tile;
        if (in_tile > 1 && trips > 1) rank[l] = outside / (trips - 1);
        outside *= in_tile;
    }
    std::sort(loops.begin(), loops.end(), std::greater<>());  // as the algorithm has them
    std::stable_sort(loops.begin(), loops.end(),
                     [&](size_t a, size_t b) { return rank[a] < rank[b]; });
}

struct Best {
    std::optional<Tiling> tiling;
    double distance = 0;

    void offer(const PerfectNest &nest, Tiling candidate) {
        if (!keeps_order(nest, candidate)) return;
        const double d = loop_distance(nest, candidate);
        if (tiling && d >= distance) return;
        tiling = std::move(candidate);
        distance = d;
    }
};

}  // namespace

std::optional<Tiling> nearest_order(const PerfectNest &nest, std::span<const int64_t> tile,
                                    const OrderWish &wish) {
    if (nest.loops.empty()) return Tiling{};
    const size_t column = column_loop(nest);
    std::vector<size_t> inter, leaders, middle;
    std::optional<size_t> vector;
    for (size_t l = 0; l < tile.size(); l++) {
        if (tile[l] < nest.loops[l].bound) inter.push_back(l);
        if (tile[l] == 1) continue;
        if (l == column && l != wish.outermost_intra) {
            vector = l;
        } else if (l != wish.outermost_intra) {
            middle.push_back(l);
        }
    }
    for (size_t l : inter)
        if (may_lead(nest, tile, l, wish.required_tiles) &&
            (l != wish.innermost_inter || inter.size() == 1))
            leaders.push_back(l);

    Best best;
    std::sort(middle.begin(), middle.end(), std::greater<>());  // as the algorithm has them
    const auto permuted =
        middle.end() - static_cast<std::ptrdiff_t>(std::min(middle.size(), max_permuted_loops));
    std::sort(permuted, middle.end());
    do {
        std::vector<size_t> intra;
        if (wish.outermost_intra) intra.push_back(*wish.outermost_intra);
        intra.insert(intra.end(), middle.begin(), middle.end());
        if (vector) intra.push_back(*vector);
        if (wish.accepts_intra && !wish.accepts_intra(intra)) continue;
        if (inter.empty() && wish.required_tiles <= 1)
            best.offer(nest, make_tiling(nest, tile, {}, intra));
        for (size_t leader : leaders) {
            std::vector<size_t> between;
            for (size_t l : inter)
                if (l != leader && l != wish.innermost_inter) between.push_back(l);
            sort_by_weight(nest, tile, intra, between);
            std::vector<size_t> order{leader};
            order.insert(order.end(), between.begin(), between.end());
            if (wish.innermost_inter && *wish.innermost_inter != leader)
                order.push_back(*wish.innermost_inter);
            best.offer(nest, make_tiling(nest, tile, order, intra));
        }
    } while (std::next_permutation(permuted, middle.end()));
    return best.tiling;
}

size_t parallel_levels(const PerfectNest &nest, const Tiling &tiling) {
    const auto parallelizable = [&](size_t level) {
        return nest.loops[tiling.levels[level].loop].parallelizable;
    };
    if (tiling.levels.empty()) return 0;
    if (tiling.first_intra <= 1) {
        const bool alone = tiling.first_intra == 1 || tiling.levels.size() == 1;
        return parallelizable(0) && (alone || tiling.levels[0].loop != column_loop(nest)) ? 1 : 0;
    }
    size_t count = 0;
    while (count + 1 < tiling.first_intra && parallelizable(count)) count++;
    return count;
}

}  // namespace cryolite::locality
