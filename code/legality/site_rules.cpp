#include "code/legality/site_rules.h"

#include <algorithm>
#include <functional>

#include "code/legality/gpu_kernels.h"
#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {

bool has_guard_between_blocks(const StageNest &nest) {
    const int innermost = last_of(nest, LoopKind::GpuBlock);
    for (int i = 0; i < innermost; i++) {
        const LoopLevel &loop = nest.loops[static_cast<size_t>(i)];
        if (loop.kind == LoopKind::GpuBlock && loop.name.level > 0) return true;
    }
    return false;
}

bool fuses_parts_with_others(const LoopLevels &loops, int32_t count) {
    if (count < 3) return false;
    for (size_t i = 1; i < static_cast<size_t>(count); i++)
        for (size_t j = 0; j < i; j++)
            if (loops[i].name.dim == loops[j].name.dim) return true;
    return false;
}

bool loses_predicate(const Func &func, const Edge &reads) {
    return reads.predicate_spares && !std::ranges::all_of(func.may_overcompute, std::identity());
}

namespace {

// Whether dimension `dim` is split, and a guard keeps its last part inside, when Funcs are computed in its loops.
bool is_split_and_guarded(const StageGraph &graph, const StageNest &nest, int16_t dim) {
    const auto same_dim = [&](const LoopLevel &l) { return l.name.dim == dim; };
    return std::ranges::count_if(nest.loops, same_dim) > 1 &&
           rounding_span(graph, nest, static_cast<size_t>(dim), true) == 1;
}

bool has_guarded_split(const StageGraph &graph, const StageNest &nest) {
    return std::ranges::any_of(nest.loops, [&](const LoopLevel &l) {
        return is_split_and_guarded(graph, nest, l.name.dim);
    });
}

}  // namespace

bool is_deep_in_guarded_fusion(const LoopNest &nest, const Func &func, LoopName at) {
    const StageGraph &graph = nest.graph();
    // A Func that may overcompute never reads outside of an input.
    if (std::ranges::all_of(func.may_overcompute, std::identity())) return false;
    bool deep = false;
    while (nest.at(graph.stage(at.stage).func).compute_at) {
        at = *nest.at(graph.stage(at.stage).func).compute_at;
        deep = true;
    }
    const StageNest &root = nest.stage_nest(at.stage);
    const size_t fused = count_parallel(root);
    if (!deep || fused < 2) return false;
    for (size_t i = 0; i < fused; i++)
        if (is_split_and_guarded(graph, root, root.loops[i].name.dim)) return true;
    return false;
}

bool is_between_guards(const LoopNest &nest, const Func &func, LoopName at) {
    const StageGraph &graph = nest.graph();
    if (std::ranges::all_of(func.may_overcompute, std::identity())) return false;
    if (level_of(nest, at) != KernelLevel::Host) return false;
    const StageNest &inner = nest.stage_nest(at.stage);
    if (!is_split_and_guarded(graph, inner, at.dim)) return false;
    bool other_inside = false;
    for (size_t i = static_cast<size_t>(nest.position(at)) + 1; i < inner.loops.size(); i++) {
        // The guard stands inside the last loop of its dimension.
        if (inner.loops[i].name.dim == at.dim) return false;
        other_inside |= inner.loops[i].span > 1 || inner.loops[i].extent > 1;
    }
    if (!other_inside) return false;
    for (auto around = nest.at(graph.stage(at.stage).func).compute_at; around;
         around = nest.at(graph.stage(around->stage).func).compute_at)
        if (has_guarded_split(graph, nest.stage_nest(around->stage))) return true;
    return false;
}

bool can_reorder_storage(const LoopNest &nest, const FuncNest &placed) {
    const Func &func = nest.graph().func(placed.func);
    return placed.placement == Placement::At && placed.store_at == placed.compute_at &&
           !func.locked && !func.is_extern &&
           level_of(nest, placed.compute_at) == KernelLevel::Host;
}

}  // namespace cryolite
