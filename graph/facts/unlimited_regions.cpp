#include "graph/facts/unlimited_regions.h"

#include <algorithm>

namespace cryolite {
namespace {

class Search {
public:
    explicit Search(const StageGraph &graph) : graph_(graph) {}

    // Readers come before what they read.
    std::vector<bool> regions() {
        std::vector<bool> some;
        for (const Func &f : graph_.funcs()) {
            grows_.emplace_back(f.dims.size(), false);
            for (size_t d = 0; d < f.dims.size(); d++)
                grows_.back()[d] = !is_bounded(f, d) && (f.is_output() || readers_move(f, d));
            some.push_back(std::ranges::find(grows_.back(), true) != grows_.back().end());
        }
        return some;
    }

private:
    static bool is_bounded(const Func &f, size_t d) {
        return d < f.bounded_by_user.size() && f.bounded_by_user[d];
    }

    bool readers_move(const Func &f, size_t d) const {
        return std::ranges::any_of(f.outgoing, [&](EdgeId e) {
            const Edge &edge = graph_.edge(e);
            return std::ranges::any_of(edge.accesses, [&](const Access &a) {
                return moves(a, d, graph_.stage(edge.consumer));
            });
        });
    }

    bool moves(const Access &access, size_t d, const Stage &stage) const {
        if (d >= access.index.size() || stage.predicate_narrows) return false;
        const IndexMap &index = access.index[d];
        if (!index.affine || !index.exact || index.clamp != Clamp::None) return false;
        for (size_t l = 0; l < stage.loops.size() && l < index.coefficient.size(); l++) {
            const bool is_equated = !access.equated.empty() && access.equated[l];
            if (!index.coefficient[l].is_zero() && !is_equated && grows(stage, l)) return true;
        }
        return false;
    }

    bool grows(const Stage &stage, size_t l) const {
        const int d = stage.loops[l].func_dim;
        return d >= 0 && !stage.loops[l].is_reduction &&
               grows_[stage.func.index()][static_cast<size_t>(d)];
    }

    const StageGraph &graph_;
    std::vector<std::vector<bool>> grows_;  // [FuncId][dimension]
};

}  // namespace

std::vector<bool> unlimited_regions(const StageGraph &graph) { return Search(graph).regions(); }

}  // namespace cryolite
