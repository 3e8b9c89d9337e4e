#include "graph/facts/spared_points.h"

#include <algorithm>

#include "graph/facts/constant_regions.h"

namespace cryolite {
namespace {

class Coverage {
public:
    Coverage(std::span<const Func> funcs, std::span<const Stage> stages,
             std::span<const Edge> edges)
        : funcs_(funcs),
          stages_(stages),
          edges_(edges),
          constant_(constant_regions(funcs, stages, edges)) {}

    bool is_covered(const Edge &spared) const {
        const Func &producer = funcs_[spared.producer.index()];
        return !spared.accesses.empty() &&
               std::ranges::all_of(spared.accesses, [&](const Access &access) {
                   return std::ranges::any_of(producer.outgoing, [&](EdgeId e) {
                       return covers(edges_[e.index()], access, stage(spared));
                   });
               });
    }

private:
    const Stage &stage(const Edge &e) const { return stages_[e.consumer.index()]; }

    // Whether an access of `other` needs all that `access` would need without its stage's predicate.
    bool covers(const Edge &other, const Access &access, const Stage &narrowed) const {
        const Stage &reader = stage(other);
        if (reader.predicate_narrows || funcs_[reader.func.index()].is_extern) return false;
        return std::ranges::any_of(other.accesses, [&](const Access &covering) {
            if (std::ranges::find(covering.equated, true) != covering.equated.end()) return false;
            for (size_t d = 0; d < access.index.size(); d++) {
                const StageLoop *walked = loop_of(access, d, narrowed);
                const StageLoop *walks = loop_of(covering, d, reader);
                if (!walked || !walks || !holds(*walks, reader.func, *walked, narrowed.func))
                    return false;
            }
            return true;
        });
    }

    // The loop whose variable the index is.
    static const StageLoop *loop_of(const Access &access, size_t d, const Stage &stage) {
        for (size_t l = 0; l < stage.loops.size(); l++)
            if (d < access.index.size() && access.index[d].affine &&
                access.index[d].coefficient.size() == stage.loops.size() &&
                is_loop(access.index[d], l))
                return &stage.loops[l];
        return nullptr;
    }

    // Whether a loop of one Func's stage walks at least what another loop of another one's does.
    bool holds(const StageLoop &outer, FuncId of_outer, const StageLoop &inner,
               FuncId of_inner) const {
        const std::optional<Interval> all = constant_range(outer, of_outer);
        const std::optional<Interval> some = constant_range(inner, of_inner);
        if (all && some) return all->min <= some->min && some->max <= all->max;
        return !outer.is_reduction && !inner.is_reduction &&
               follows(of_inner, inner.func_dim, of_outer, outer.func_dim);
    }

    std::optional<Interval> constant_range(const StageLoop &loop, FuncId f) const {
        if (loop.is_reduction)
            return loop.constant_range ? std::optional(loop.range) : std::nullopt;
        const auto d = static_cast<size_t>(loop.func_dim);
        if (!constant_[f.index()][d]) return {};
        return funcs_[f.index()].root_region[d];
    }

    // Whether dimension `dim` of a Func is asked for only where dimension `of_leader` of another Func is.
    bool follows(FuncId f, int dim, FuncId leader, int of_leader) const {
        if (f == leader) return dim == of_leader;
        const Func &func = funcs_[f.index()];
        // Ids ascend from the outputs on, so that a leader has no larger id than those that follow it.
        if (func.role != FuncRole::Intermediate || f < leader) return false;
        return std::ranges::all_of(func.outgoing, [&](EdgeId e) {
            const Edge &edge = edges_[e.index()];
            const Stage &reader = stage(edge);
            return !edge.accesses.empty() &&
                   std::ranges::all_of(edge.accesses, [&](const Access &a) {
                       const StageLoop *loop = loop_of(a, static_cast<size_t>(dim), reader);
                       return loop && !loop->is_reduction &&
                              follows(reader.func, loop->func_dim, leader, of_leader);
                   });
        });
    }

    const std::span<const Func> funcs_;
    const std::span<const Stage> stages_;
    const std::span<const Edge> edges_;
    const std::vector<std::vector<bool>> constant_;
};

}  // namespace

void find_spared_points(const std::vector<Func> &funcs, const std::vector<Stage> &stages,
                        std::vector<Edge> &edges) {
    if (std::ranges::none_of(stages, &Stage::predicate_narrows)) return;
    const Coverage coverage(funcs, stages, edges);
    for (Edge &e : edges)
        e.predicate_spares =
            stages[e.consumer.index()].predicate_narrows && !e.is_self && !coverage.is_covered(e);
}

}  // namespace cryolite
