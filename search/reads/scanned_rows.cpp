#include "search/reads/scanned_rows.h"

#include <algorithm>

#include "search/reads/index_walks.h"

namespace cryolite {
namespace {

bool scans_rows(const StageGraph &graph, const Func &func) {
    const auto row = static_cast<size_t>(func.storage_order[0]);
    return std::ranges::any_of(func.stages, [&](StageId s) {
        const Stage &stage = graph.stage(s);
        return stage.recurrence && std::ranges::any_of(stage.stores, [&](const Access &stored) {
                   return moves(stored.index[row], stage.recurrence->loop);
               });
    });
}

// Whether a vector along the loop reads neighbours or one point wherever it reads.
bool walks_point_by_point(const StageGraph &graph, const Stage &stage, size_t loop) {
    return std::ranges::all_of(stage.incoming, [&](EdgeId e) {
        return std::ranges::all_of(graph.edge(e).accesses, [&](const Access &a) {
            const auto moved = std::ranges::count_if(
                a.index, [&](const IndexMap &index) { return moves(index, loop); });
            return moved == 0 ||
                   (moved == 1 && std::ranges::any_of(a.index, [&](const IndexMap &i) {
                        return moves_by_one(i, loop);
                    }));
        });
    });
}

}  // namespace

std::optional<int> dim_across_scans(const StageGraph &graph, const Func &func) {
    if (func.is_input() || func.is_extern || func.storage_order.size() < 2 ||
        !scans_rows(graph, func))
        return std::nullopt;
    for (int d = 0; d < static_cast<int>(func.dims.size()); d++) {
        if (d == func.storage_order[0]) continue;
        if (std::ranges::all_of(func.stages, [&](StageId s) {
                const Stage &stage = graph.stage(s);
                const std::optional<size_t> loop = loop_over(stage, d);
                return loop && !stage.has_predicate && walks_point_by_point(graph, stage, *loop);
            }))
            return d;
    }
    return std::nullopt;
}

}  // namespace cryolite
