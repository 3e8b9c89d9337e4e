#include "graph/facts/constant_regions.h"

#include <algorithm>

namespace cryolite {
namespace {

class Search {
public:
    Search(std::span<const Func> funcs, std::span<const Stage> stages, std::span<const Edge> edges)
        : funcs_(funcs), stages_(stages), edges_(edges) {}

    // Readers come before what they read.
    std::vector<std::vector<bool>> regions() {
        for (const Func &f : funcs_) {
            found_.emplace_back(f.dims.size(), false);
            if (f.is_input()) continue;
            for (size_t d = 0; d < f.dims.size(); d++)
                found_.back()[d] =
                    is_constant_by_user(f, d) ||
                    (!f.is_output() && readers_ask_for_a_constant(f, d) && updates_stay(f, d));
        }
        return std::move(found_);
    }

private:
    static bool is_constant_by_user(const Func &f, size_t d) {
        return d < f.constant_by_user.size() && f.constant_by_user[d];
    }

    bool readers_ask_for_a_constant(const Func &f, size_t d) const {
        return std::ranges::all_of(f.outgoing, [&](EdgeId e) {
            const Edge &edge = edges_[e.index()];
            const Stage &reader = stages_[edge.consumer.index()];
            return !funcs_[reader.func.index()].is_extern && !edge.accesses.empty() &&
                   std::ranges::all_of(edge.accesses,
                                       [&](const Access &a) { return is_constant(a, d, reader); });
        });
    }

    bool is_constant(const Access &access, size_t d, const Stage &stage) const {
        if (!has_map(access, d, stage)) return false;
        const IndexMap &index = access.index[d];
        if (!index.exact || index.clamp != Clamp::None) return false;
        // Parts that wrap around take all of their values, wherever they begin.
        const auto is_whole = [](const WrappedIndex &part) { return part.factor.denominator == 1; };
        if (!index.affine &&
            (index.wrapped.empty() || !std::ranges::all_of(index.wrapped, is_whole)))
            return false;
        const std::vector<Rational> &steps = index.affine ? index.coefficient : index.step;
        for (size_t l = 0; l < stage.loops.size(); l++)
            if (!steps[l].is_zero() &&
                (!is_constant(stage, l) || (!access.equated.empty() && access.equated[l])))
                return false;
        return true;
    }

    bool is_constant(const Stage &stage, size_t l) const {
        const StageLoop &loop = stage.loops[l];
        if (loop.in_predicate && stage.predicate_narrows) return false;
        if (loop.is_reduction) return loop.constant_range;
        return found_[stage.func.index()][static_cast<size_t>(loop.func_dim)];
    }

    // Whether updates read and write no other points of the dimension than those of their own pure loop over it, or
    // constant ones.
    bool updates_stay(const Func &f, size_t d) const {
        return std::ranges::all_of(f.stages, [&](StageId id) {
            const Stage &stage = stages_[id.index()];
            const auto stays = [&](const Access &a) {
                return walks_its_own(a, d, stage) || is_constant(a, d, stage);
            };
            return std::ranges::all_of(stage.stores, stays) &&
                   std::ranges::all_of(stage.incoming, [&](EdgeId e) {
                       const Edge &edge = edges_[e.index()];
                       return !edge.is_self || std::ranges::all_of(edge.accesses, stays);
                   });
        });
    }

    // A graph may give the regions of its edges alone.
    static bool has_map(const Access &access, size_t d, const Stage &stage) {
        return d < access.index.size() &&
               std::max(access.index[d].coefficient.size(), access.index[d].step.size()) ==
                   stage.loops.size();
    }

    static bool walks_its_own(const Access &access, size_t d, const Stage &stage) {
        for (size_t l = 0; l < stage.loops.size(); l++)
            if (stage.loops[l].func_dim == static_cast<int>(d))
                return has_map(access, d, stage) && is_loop(access.index[d], l);
        return false;
    }

    const std::span<const Func> funcs_;
    const std::span<const Stage> stages_;
    const std::span<const Edge> edges_;
    std::vector<std::vector<bool>> found_;
};

}  // namespace

std::vector<std::vector<bool>> constant_regions(std::span<const Func> funcs,
                                                std::span<const Stage> stages,
                                                std::span<const Edge> edges) {
    return Search(funcs, stages, edges).regions();
}

}  // namespace cryolite
