#include "reference/locality/nest_of_stage.h"

#include <algorithm>

namespace cryolite::locality {
namespace {

const Box &stored_region(const LoopNest &nest, const Func &func) {
    if (!func.is_input() && nest.decided(func.id)) {
        const FuncNest &f = nest.at(func.id);
        if (f.placement == Placement::At && f.store_at && !f.store_region.empty())
            return f.store_region;
    }
    return func.root_region;
}

// An array with as many dimensions as the Func, as they lie in memory, and no index yet.
Reference array_of(const LoopNest &nest, const Func &func, int value, size_t num_loops) {
    Reference r;
    r.array = func.name;
    if (func.values.size() > 1) r.array += "." + std::to_string(value);
    r.element_bytes = std::max(1, func.values[static_cast<size_t>(value)].bytes());
    const Box &region = stored_region(nest, func);
    for (int d : nest.storage_order(func.id)) {
        IndexedDimension &dim = r.dims.emplace_back();
        dim.extent = std::max<int64_t>(1, region[static_cast<size_t>(d)].extent());
        dim.coefficient.assign(num_loops, 0);
    }
    return r;
}

Reference loaded(const LoopNest &nest, const LoadGroup &group, size_t num_loops) {
    const Func &func = nest.graph().func(group.producer);
    Reference r = array_of(nest, func, group.value, num_loops);
    r.reads = true;
    r.loads = std::max(1.0, group.count);
    if (group.gather) r.gathered_over = group.depends_on;
    for (size_t i = 0; i < r.dims.size(); i++) {
        const auto d = static_cast<size_t>(nest.storage_order(func.id)[i]);
        r.dims[i].offset_span = group.offset_span[d];
        r.dims[i].coefficient.assign(group.coefficient[d].begin(), group.coefficient[d].end());
    }
    return r;
}

Reference stored(const LoopNest &nest, const Stage &stage, const Access &access) {
    const Func &func = nest.graph().func(stage.func);
    Reference r = array_of(nest, func, access.value, stage.loops.size());
    r.writes = true;
    std::vector<bool> moves(stage.loops.size(), false);
    bool gather = false;
    for (size_t i = 0; i < r.dims.size(); i++) {
        const IndexMap &map = access.index[static_cast<size_t>(nest.storage_order(func.id)[i])];
        gather |= !map.affine || map.data_dependent;
        for (size_t l = 0; l < moves.size(); l++) {
            if (l < map.coefficient.size()) {
                // As the loads' coefficients, so that equal ones compare equal.
                r.dims[i].coefficient[l] = static_cast<float>(map.coefficient[l].value());
            }
            moves[l] = moves[l] || r.dims[i].coefficient[l] != 0 ||
                       (l < map.depends_on.size() && map.depends_on[l]);
        }
    }
    if (gather) r.gathered_over = std::move(moves);
    return r;
}

bool same_index(const Reference &a, const Reference &b) {
    if (a.array != b.array || a.gathered_over != b.gathered_over) return false;
    for (size_t d = 0; d < a.dims.size(); d++)
        if (a.dims[d].coefficient != b.dims[d].coefficient) return false;
    return true;
}

Intervals ranges_of(const LoopNest &nest, const Stage &stage) {
    if (nest.decided(stage.func) && nest.at(stage.func).placement != Placement::Inline)
        return nest.stage_nest(stage.id).range;
    Intervals ranges(stage.loops.size());
    nest.graph().loop_ranges(stage, nest.graph().func(stage.func).root_region, ranges);
    return ranges;
}

}  // namespace

Result<PerfectNest> nest_of_stage(const LoopNest &nest, StageExpander &expander, StageId id) {
    const Stage &stage = nest.graph().stage(id);
    const ExpandedStage &body = expander.expand(nest, id);
    if (body.too_large) {
        return Error{"inlining multiplies the loads of " + nest.graph().func(stage.func).name +
                     " beyond reason"};
    }
    PerfectNest result;
    const Intervals ranges = ranges_of(nest, stage);
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const StageLoop &loop = stage.loops[l];
        result.loops.push_back({loop.name, std::max<int64_t>(1, ranges[l].extent()),
                                loop.reorderable, loop.parallelizable, loop.vectorizable});
    }
    for (const Access &a : stage.stores) result.references.push_back(stored(nest, stage, a));
    for (const LoadGroup &group : body.loads) {
        Reference load = loaded(nest, group, stage.loops.size());
        const auto store =
            std::find_if(result.references.begin(), result.references.end(),
                         [&](const Reference &r) { return r.writes && same_index(r, load); });
        if (store == result.references.end()) {
            result.references.push_back(std::move(load));
        } else {
            load.writes = true;
            *store = std::move(load);
        }
    }
    return result;
}

Result<PerfectNest> nest_of_stage(const StageGraph &graph, StageId stage) {
    StageExpander expander(graph);
    return nest_of_stage(LoopNest(graph), expander, stage);
}

Tiling tiling_of_stage(const PerfectNest &nest, const StageNest &scheduled) {
    const auto makes_tiles = [](const LoopLevel &l) {
        return l.name.level > 0 && l.kind != LoopKind::Vectorized && l.kind != LoopKind::Unrolled;
    };
    Tiling tiling;
    std::vector<int64_t> span;
    for (const NestLoop &l : nest.loops) span.push_back(l.bound);
    for (const LoopLevel &level : scheduled.loops) {
        const auto loop = static_cast<size_t>(level.name.dim);
        const bool outside =
            level.name.level == 0 &&
            std::any_of(scheduled.loops.begin(), scheduled.loops.end(), [&](const LoopLevel &l) {
                return l.name.dim == level.name.dim && makes_tiles(l);
            });
        if (level.span < span[loop]) {
            tiling.levels.push_back({loop, level.span});
            span[loop] = level.span;
        }
        if (outside) tiling.first_intra = tiling.levels.size();
    }
    return tiling;
}

}  // namespace cryolite::locality
