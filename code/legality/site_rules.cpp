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

bool loses_predicate(const Func &func, const Stage &reader) {
    return reader.predicate_narrows && !std::ranges::all_of(func.may_overcompute, std::identity());
}

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
    for (size_t i = 0; i < fused; i++) {
        const int16_t dim = root.loops[i].name.dim;
        const auto same_dim = [&](const LoopLevel &l) { return l.name.dim == dim; };
        if (std::ranges::count_if(root.loops, same_dim) > 1 &&
            rounding_span(graph, root, static_cast<size_t>(dim), true) == 1)
            return true;
    }
    return false;
}

bool can_reorder_storage(const LoopNest &nest, const FuncNest &placed) {
    const Func &func = nest.graph().func(placed.func);
    return placed.placement == Placement::At && placed.store_at == placed.compute_at &&
           !func.locked && !func.is_extern &&
           level_of(nest, placed.compute_at) == KernelLevel::Host;
}

}  // namespace cryolite
