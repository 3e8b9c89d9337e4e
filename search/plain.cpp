// The plain schedule: what is emitted when nothing better is known, and the ground of comparison.
#include "search/search.h"
#include "search/stage_plan.h"

namespace cryolite {
namespace {

LoopNest apply_or_keep(LoopNest nest, const Action &action) {
    auto next = cryolite::apply(nest, action);
    return next.ok() ? std::move(*next) : nest;
}

}  // namespace

std::vector<Action> plain_loops(const LoopNest &nest, StageId stage, const Machine &machine) {
    const Func &func = nest.graph().func_of(stage);
    TilingTemplate t;
    t.tile.assign(func.dims.size(), 0);
    t.unroll.assign(func.dims.size(), 1);
    t.parallel = 1;
    if (!func.storage_order.empty() && !func.values.empty()) {
        t.vector_dim = func.storage_order[0];
        t.width = std::max(1, machine.vector_bytes / func.values[0].bytes());
        const int64_t extent =
            nest.at(func.id).compute_region[static_cast<size_t>(t.vector_dim)].extent();
        while (t.width > extent && t.width > 1) t.width /= 2;
    }
    return to_actions(nest.graph().stage(stage), nest.stage_nest(stage).range, t);
}

LoopNest finish_plainly(LoopNest nest, const Machine &machine) {
    const StageGraph &graph = nest.graph();
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const Func &func = graph.func(FuncId(i));
        if (nest.decided(func.id)) continue;
        if (func.inline_only) {
            nest = apply_or_keep(std::move(nest), action::Inline{func.id});
            continue;
        }
        nest = apply_or_keep(std::move(nest), action::ComputeRoot{func.id});
        if (!nest.decided(func.id) || func.locked || func.is_extern) continue;
        for (StageId s : func.stages)
            for (const Action &a : plain_loops(nest, s, machine))
                nest = apply_or_keep(std::move(nest), a);
    }
    return nest;
}

LoopNest plain_schedule(const StageGraph &graph, const Machine &machine) {
    return finish_plainly(LoopNest(graph), machine);
}

}  // namespace cryolite
