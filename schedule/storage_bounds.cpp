#include "schedule/storage_bounds.h"

#include <algorithm>

#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// Points that one iteration of `site` walks of loop l of its own stage; 0: depends on a size.
int64_t points_walked(const LoopNest &nest, const Stage &stage, size_t l, LoopName site) {
    const StageLoop &loop = stage.loops[l];
    const StageNest &loops = nest.stage_nest(stage.id);
    const int fused = static_cast<int>(count_parallel(loops));
    int64_t points = 0;
    for (int i = 0; i <= nest.position(site); i++) {
        const LoopLevel &level = loops.loops[static_cast<size_t>(i)];
        if (static_cast<size_t>(level.name.dim) != l) continue;
        // Halide loses sight of loops that are fused: it takes all of them for needed (seen with 21).
        if (fused > 1 && i < fused) return 0;
        points = level.span;
    }
    if (points > 0) return points;
    if (loop.is_reduction) return loop.constant_range ? loop.range.extent() : 0;
    const SideBounds bounds = rounded_storage_bounds(nest.graph(), nest.at(stage.func));
    return bounds.empty() ? 0 : bounds[static_cast<size_t>(loop.func_dim)];
}

// What an access of the site's stage reaches in one dimension, relative to its first point. False if
// that is not an interval of constant length.
bool reach(const LoopNest &nest, const Stage &stage, LoopName site, const IndexMap &index,
           Interval &out) {
    if (!index.affine || !index.exact || index.clamp != Clamp::None ||
        index.offset.denominator != 1)
        return false;
    out = {index.offset.numerator, index.offset.numerator};
    for (size_t l = 0; l < index.coefficient.size(); l++) {
        const Rational c = index.coefficient[l];
        if (c.is_zero()) continue;
        const int64_t points = points_walked(nest, stage, l, site);
        if (c.denominator != 1 || points == 0) return false;
        (c.numerator > 0 ? out.max : out.min) += c.numerator * (points - 1);
    }
    return true;
}

}  // namespace

bool stays_in_place(const StageGraph &graph, const Stage &stage, size_t dim) {
    const auto in_place = [&](const IndexMap &index) {
        if (!index.affine || !index.exact || index.clamp != Clamp::None || !index.offset.is_zero())
            return false;
        bool is_walked = false;  // else it is the point 0, wherever the box is
        for (size_t l = 0; l < index.coefficient.size(); l++) {
            const bool own = stage.loops[l].func_dim == static_cast<int>(dim);
            is_walked |= own;
            if (!(index.coefficient[l] == Rational{own ? 1 : 0, 1})) return false;
        }
        return is_walked;
    };
    for (const Access &a : stage.stores)
        if (!in_place(a.index[dim])) return false;
    for (EdgeId e : stage.incoming)
        if (graph.edge(e).is_self)
            for (const Access &a : graph.edge(e).accesses)
                if (!in_place(a.index[dim])) return false;
    return true;
}

SideBounds storage_bounds(const LoopNest &nest, FuncId f, LoopName site) {
    const StageGraph &graph = nest.graph();
    const Func &func = graph.func(f);
    SideBounds bounds(func.root_region.size(), 0);
    for (size_t d = 0; d < bounds.size(); d++) {
        Interval needed;
        const IndexMap *first = nullptr;
        bool bounded = true;
        for (EdgeId e : func.outgoing) {
            const Edge &edge = graph.edge(e);
            // What others than the site's own stage need is not followed.
            bounded &= edge.consumer == site.stage;
            if (!bounded) break;
            for (const Access &a : edge.accesses) {
                const IndexMap &index = a.index[d];
                if (!first) first = &index;
                Interval here;
                // Windows that move at different speeds drift apart.
                bounded &= reach(nest, graph.stage(edge.consumer), site, index, here) &&
                           index.coefficient == first->coefficient;
                if (!bounded) break;
                needed = hull(needed, here);
            }
        }
        for (StageId s : func.stages)
            bounded &= graph.stage(s).index == 0 || stays_in_place(graph, graph.stage(s), d);
        if (bounded && first) bounds[d] = needed.extent();
    }
    return bounds;
}

SideBounds rounded_storage_bounds(const StageGraph &graph, const FuncNest &nest) {
    SideBounds bounds = nest.storage_bound;
    for (const StageNest &stage : nest.stages)
        for (const LoopLevel &level : stage.loops) {
            const int d =
                graph.stage(stage.stage).loops[static_cast<size_t>(level.name.dim)].func_dim;
            if (d < 0 || bounds.empty() || level.name.level > 0) continue;
            int64_t &bound = bounds[static_cast<size_t>(d)];
            const int64_t rounded = (nest.storage_bound[static_cast<size_t>(d)] + level.span - 1) /
                                    level.span * level.span;
            bound = std::max(bound, rounded);
        }
    return bounds;
}

}  // namespace cryolite
