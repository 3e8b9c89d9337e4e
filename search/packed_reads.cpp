#include "search/packed_reads.h"

#include <algorithm>

namespace cryolite {
namespace {

bool walks_down_rows(const Stage &stage, const Access &access, size_t row) {
    bool along_rows = false, down = false, again = false;
    for (size_t l = 0; l < stage.loops.size(); l++) {
        bool used = false;
        for (size_t d = 0; d < access.index.size(); d++) {
            const std::vector<bool> &depends = access.index[d].depends_on;
            if (l >= depends.size() || !depends[l]) continue;
            used = true;
            if (stage.loops[l].is_reduction == (d == row)) return false;
            (d == row ? along_rows : down) = true;
        }
        again |= !used && !stage.loops[l].is_reduction;
    }
    return along_rows && down && again;
}

}  // namespace

bool is_worth_packing(const StageGraph &graph, const Func &func) {
    if (func.storage_order.empty() || func.outgoing.empty()) return false;
    const auto row = static_cast<size_t>(row_dim(func));
    return std::ranges::all_of(func.outgoing, [&](EdgeId e) {
        const Edge &edge = graph.edge(e);
        return std::ranges::all_of(edge.accesses, [&](const Access &access) {
            return walks_down_rows(graph.stage(edge.consumer), access, row);
        });
    });
}

}  // namespace cryolite
