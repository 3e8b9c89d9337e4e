#include "search/reads/packed_reads.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

// Whether a pure loop of the stage repeats the access.
bool is_repeated(const Stage &stage, const Access &access) {
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const bool used = std::ranges::any_of(access.index, [&](const IndexMap &index) {
            return l < index.depends_on.size() && index.depends_on[l];
        });
        if (!used && !stage.loops[l].is_reduction) return true;
    }
    return false;
}

// Whether the loops of the copy walk an index in blocks, each of them once: 4 * b + i of four points, but not x + i.
bool is_in_blocks(const StageGraph &graph, const Stage &copy, const Access &access) {
    const Box &region = graph.func(copy.func).root_region;
    return std::ranges::any_of(access.index, [&](const IndexMap &index) {
        if (!index.affine) return false;
        std::vector<std::pair<double, double>> steps;  // and what the loop covers
        for (size_t l = 0; l < index.coefficient.size(); l++) {
            const double step = std::abs(index.coefficient[l].value());
            const auto d = static_cast<size_t>(copy.loops[l].func_dim);
            if (step > 0) steps.emplace_back(step, step * static_cast<double>(region[d].extent()));
        }
        std::ranges::sort(steps);
        for (size_t k = 1; k < steps.size(); k++)
            if (steps[k].first < steps[k - 1].second) return false;
        return steps.size() > 1;
    });
}

}  // namespace

bool is_repacked(const StageGraph &graph, const Func &func) {
    if (!func.is_trivial || func.stages.size() != 1 || func.outgoing.empty()) return false;
    const bool copies_blocks =
        std::ranges::any_of(graph.stage(func.stages[0]).incoming, [&](EdgeId e) {
            return std::ranges::any_of(graph.edge(e).accesses, [&](const Access &access) {
                return is_in_blocks(graph, graph.stage(func.stages[0]), access);
            });
        });
    return copies_blocks && std::ranges::all_of(func.outgoing, [&](EdgeId e) {
               const Edge &edge = graph.edge(e);
               return std::ranges::all_of(edge.accesses, [&](const Access &access) {
                   return is_repeated(graph.stage(edge.consumer), access);
               });
           });
}

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
