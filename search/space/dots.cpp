#include "search/space/dots.h"

#include "analytical/cycles/dot_products.h"
#include "search/reads/index_walks.h"
#include "search/space/strided_sums.h"

namespace cryolite {
namespace {

// Loads in which neighbours along the loop are neighbours in memory.
int loads_along(const StageGraph &graph, const Stage &stage, size_t loop) {
    int loads = 0;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = graph.edge(e);
        const std::vector<int> &order = graph.func(edge.producer).storage_order;
        if (edge.is_self || order.empty()) continue;
        for (const Access &access : edge.accesses)
            loads += moves_by_one(access.index[static_cast<size_t>(order[0])], loop);
    }
    return loads;
}

}  // namespace

std::optional<TilingTemplate::Part> dot_of(const TilingSpace &s) {
    for (const StageNest &nest : s.nest.stages) {
        const Stage &stage = s.graph.stage(nest.stage);
        if (!stage.dot) continue;
        const int points = dot_points(s.machine, *stage.dot);
        if (points == 1) continue;
        int most = 0;
        std::optional<TilingTemplate::Part> best;
        for (size_t l = 0; l < stage.loops.size(); l++) {
            const StageLoop &loop = stage.loops[l];
            if (!loop.is_reduction || !loop.constant_range || !loop.reorderable ||
                loop.in_predicate || nest.range[l].extent() % points != 0)
                continue;
            if (const int loads = loads_along(s.graph, stage, l); loads > most) {
                most = loads;
                best = TilingTemplate::Part{stage.index, static_cast<int>(l), points, true};
            }
        }
        if (best) return best;
    }
    return std::nullopt;
}

bool interleaves_neighbours(const TilingSpace &s, const TilingTemplate::Part &part, int dim) {
    const Stage &stage = s.graph.stage(s.nest.stages[static_cast<size_t>(part.stage)].stage);
    const std::optional<size_t> along = loop_over(stage, dim);
    if (!part.is_dot || !along) return false;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = s.graph.edge(e);
        const std::vector<int> &order = s.graph.func(edge.producer).storage_order;
        if (edge.is_self || order.empty()) continue;
        for (const Access &access : edge.accesses) {
            const IndexMap &index = access.index[static_cast<size_t>(order[0])];
            if (moves_by_one(index, *along) && moves_by_one(index, static_cast<size_t>(part.loop)))
                return true;
        }
    }
    return false;
}

std::optional<TilingTemplate::Part> strided_dot_of(const TilingSpace &s) {
    std::optional<TilingTemplate::Part> part = strided_sum(s);
    if (!part) return std::nullopt;
    const Stage &stage = s.graph.stage(s.nest.stages[static_cast<size_t>(part->stage)].stage);
    if (!stage.dot) return std::nullopt;
    const int points = dot_points(s.machine, *stage.dot);
    if (points == 1 || part->points == points || part->points % points != 0) return std::nullopt;
    part->is_dot = true;
    return part;
}

}  // namespace cryolite
