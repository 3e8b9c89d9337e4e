#include "graph/facts/races.h"

#include <algorithm>

#include "graph/facts/iteration_distance.h"

namespace cryolite {

bool is_race_free_in_order(const Stage &stage, std::span<const Edge> edges, size_t loop) {
    LoopDistances still(stage.loops.size());
    for (size_t l = loop + 1; l < stage.loops.size(); l++)
        if (stage.loops[l].is_reduction) still[l] = 0;
    const auto are_apart = [&](const Access &a, const Access &b) {
        const IterationDistance d = iteration_distance(a, b, still, Trust::AllSizes);
        return d.never || d.loops[loop] == 0;
    };
    const auto is_apart_from_stores = [&](const Access &a) {
        return std::ranges::all_of(stage.stores,
                                   [&](const Access &stored) { return are_apart(stored, a); });
    };
    return std::ranges::all_of(stage.stores, is_apart_from_stores) &&
           std::ranges::all_of(stage.incoming, [&](EdgeId e) {
               const Edge &edge = edges[e.index()];
               return !edge.is_self || std::ranges::all_of(edge.accesses, is_apart_from_stores);
           });
}

int dim_walked_by(const Stage &stage, size_t loop) {
    if (stage.stores.empty()) return -1;
    const std::vector<IndexMap> &index = stage.stores[0].index;
    for (size_t d = 0; d < index.size(); d++)
        if (index[d].affine && !index[d].coefficient[loop].is_zero()) return static_cast<int>(d);
    return -1;
}

}  // namespace cryolite
