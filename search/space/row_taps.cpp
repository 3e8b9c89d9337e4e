#include "search/space/row_taps.h"

#include <algorithm>

#include "search/reads/index_walks.h"

namespace cryolite {
namespace {

// Whether the loop moves the access along the producer's rows alone, or not at all.
bool stays_in_row(const Access &access, const std::vector<int> &storage_order, size_t loop) {
    for (size_t d = 0; d < access.index.size(); d++) {
        const IndexMap &index = access.index[d];
        if (!moves(index, loop)) continue;
        const bool along_row = !storage_order.empty() && storage_order[0] == static_cast<int>(d);
        if (!along_row || !is_affine_in(index, loop) || index.coefficient[loop].denominator != 1)
            return false;
    }
    return true;
}

}  // namespace

std::optional<size_t> row_taps(const StageGraph &graph, const Stage &stage) {
    const auto is_along_rows = [&](size_t loop) {
        return std::ranges::all_of(stage.incoming, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            const std::vector<int> &order = graph.func(edge.producer).storage_order;
            return std::ranges::all_of(edge.accesses, [&](const Access &access) {
                return stays_in_row(access, order, loop);
            });
        });
    };
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const StageLoop &loop = stage.loops[l];
        if (loop.is_reduction && loop.constant_range && loop.reorderable && !loop.in_predicate &&
            loop.range.extent() > 1 && is_along_rows(l))
            return l;
    }
    return std::nullopt;
}

}  // namespace cryolite
