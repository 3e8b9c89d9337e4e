#include "code/legality/clamped_loops.h"

#include <algorithm>

#include "code/regions/box_motions.h"
#include "code/regions/regions.h"
#include "code/regions/storage_bounds.h"

namespace cryolite {
namespace {

// Whether an index in f's own reads moves with its dimension `dim` and has no clamp.
bool reads_on(const StageGraph &graph, const Func &f, int dim) {
    const auto moves_freely = [&](const Stage &stage, const IndexMap &index) {
        if (index.clamp != Clamp::None) return false;
        for (size_t l = 0; l < stage.loops.size() && l < index.depends_on.size(); l++)
            if (index.depends_on[l] && stage.loops[l].func_dim == dim) return true;
        return false;
    };
    return std::ranges::any_of(f.stages, [&](StageId s) {
        const Stage &stage = graph.stage(s);
        return std::ranges::any_of(stage.incoming, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            return !edge.is_self && std::ranges::any_of(edge.accesses, [&](const Access &access) {
                return std::ranges::any_of(
                    access.index, [&](const IndexMap &i) { return moves_freely(stage, i); });
            });
        });
    });
}

// The dimensions of f whose index in the stage's reads moves with a loop of the stage. If another Func reads f, inlined
// or computed deeper inside, the answer is all dimensions.
std::vector<int> dims_that_move(const StageGraph &graph, const Func &f, StageId reader, int loop) {
    std::vector<int> dims;
    for (size_t d = 0; d < f.root_region.size(); d++) {
        const bool moves = std::ranges::any_of(f.outgoing, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            if (edge.consumer != reader) return !edge.is_self;
            return std::ranges::any_of(edge.accesses, [&](const Access &access) {
                return d < access.index.size() &&
                       static_cast<size_t>(loop) < access.index[d].depends_on.size() &&
                       access.index[d].depends_on[static_cast<size_t>(loop)];
            });
        });
        if (moves) dims.push_back(static_cast<int>(d));
    }
    return dims;
}

// Whether the box of `owner` moves by fractions of a point in a way that Halide does not bound (see the header).
bool moves_by_fractions(const LoopNest &nest, const FuncNest &owner, int dim) {
    const StageGraph &graph = nest.graph();
    const std::vector<std::optional<BoxMotion>> motions =
        box_motions(nest, owner.func, *owner.compute_at);
    const std::optional<BoxMotion> &motion = motions[static_cast<size_t>(dim)];
    if (!motion) return false;
    const std::vector<LoopName> around = nest.enclosing(*owner.compute_at);
    return std::ranges::any_of(motion->by, [&](const auto &moved) {
        const auto &[loop, by] = moved;
        int64_t span = 1;  // of the innermost loop of the dimension that is around
        for (const LoopName &a : around)
            if (a.stage == loop.stage && a.dim == loop.dim)
                span = nest.stage_nest(a.stage).loops[static_cast<size_t>(nest.position(a))].span;
        const bool is_shifted = span > 1 && graph.func_of(loop.stage).is_output();
        if ((by * Rational{span, 1}).denominator == 1) return by.denominator > 2 && is_shifted;
        return by.denominator != 2 || span > 1;
    });
}

// Whether readers move the box of `owner` along `dim` while its own updates hold an end of it in place.
bool is_held_by_updates(const LoopNest &nest, const FuncNest &owner, int dim) {
    const StageGraph &graph = nest.graph();
    const Func &func = graph.func(owner.func);
    const auto d = static_cast<size_t>(dim);
    if (std::ranges::all_of(func.stages, [&](StageId s) {
            return graph.stage(s).index == 0 || stays_in_place(graph, graph.stage(s), d);
        }))
        return false;
    const std::vector<LoopName> around = nest.enclosing(*owner.compute_at);
    return std::ranges::any_of(func.outgoing, [&](EdgeId e) {
        const Edge &edge = graph.edge(e);
        const auto is_of_reader = [&](LoopName l) { return l.stage == edge.consumer; };
        // Of a reader that is inlined, or computed further inside, it is not known.
        if (std::ranges::none_of(around, is_of_reader)) return true;
        return std::ranges::any_of(edge.accesses, [&](const Access &access) {
            return std::ranges::any_of(around, [&](LoopName l) {
                return is_of_reader(l) && access.index[d].depends_on[static_cast<size_t>(l.dim)];
            });
        });
    });
}

}  // namespace

bool overreaches_clamped_loop(const LoopNest &nest, const Func &f, LoopName site) {
    const StageGraph &graph = nest.graph();
    const Stage &stage = graph.stage(site.stage);
    const FuncNest &owner = nest.at(stage.func);
    if (owner.placement != Placement::At) return false;
    const StageNest &loops = nest.stage_nest(site.stage);
    const auto inner = loops.loops.begin() + nest.position(site) + 1;
    return std::any_of(inner, loops.loops.end(), [&](const LoopLevel &l) {
        const StageLoop &loop = stage.loops[static_cast<size_t>(l.name.dim)];
        const bool is_whole = l.name.level == 0 && l.span == 1;
        if (!is_whole || loop.is_reduction || loop.func_dim < 0) return false;
        const std::vector<int> dims = dims_that_move(graph, f, site.stage, l.name.dim);
        return std::ranges::any_of(dims, [&](int d) { return reads_on(graph, f, d); }) &&
               ((l.extent > 1 &&
                 is_slide_clamped(nest, owner.func, loop.func_dim, *owner.compute_at)) ||
                moves_by_fractions(nest, owner, loop.func_dim) ||
                is_held_by_updates(nest, owner, loop.func_dim) ||
                is_pulled_apart(nest, owner.func, *owner.compute_at, loop.func_dim));
    });
}

}  // namespace cryolite
