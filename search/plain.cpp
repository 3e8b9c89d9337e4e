// The plain schedule: what is emitted when nothing better is known, and the ground of comparison.
#include "schedule/func_nest.h"
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

namespace {

LoopNest place_plainly(LoopNest nest, const Func &func) {
    if (func.inline_only || (func.enclosed && func.can_inline))
        return apply_or_keep(std::move(nest), action::Inline{func.id});
    if (func.enclosed) {
        // Of the places inside of all the user's loops around it, the outermost.
        const std::vector<LoopName> sites = nest.legal_sites(func.id);
        if (!sites.empty())
            nest = apply_or_keep(std::move(nest), action::ComputeAt{func.id, sites.back()});
    }
    if (nest.decided(func.id)) return nest;
    return apply_or_keep(std::move(nest), action::ComputeRoot{func.id});
}

LoopNest decide_plainly(LoopNest nest, const Func &func, const Machine &machine) {
    nest = place_plainly(std::move(nest), func);
    if (!nest.decided(func.id) || is_left_alone(func, nest.at(func.id)) || func.is_extern)
        return nest;
    if (nest.at(func.id).placement == Placement::Inline) return nest;
    for (StageId s : func.stages)
        for (const Action &a : plain_loops(nest, s, machine))
            nest = apply_or_keep(std::move(nest), a);
    return nest;
}

}  // namespace

LoopNest finish_plainly(LoopNest nest, const Machine &machine) {
    const StageGraph &graph = nest.graph();
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const Func &func = graph.func(FuncId(i));
        if (!nest.decided(func.id)) nest = decide_plainly(std::move(nest), func, machine);
    }
    return nest;
}

LoopNest plain_schedule(const StageGraph &graph, const Machine &machine) {
    return finish_plainly(LoopNest(graph), machine);
}

namespace {

// Whose loops may change what is asked of a locked Func, or what one asks for: its readers near and
// far, and what it reads itself.
std::vector<bool> near_users(const StageGraph &graph) {
    std::vector<bool> near(graph.funcs().size(), false);
    // Readers have smaller ids than what they read.
    for (size_t i = graph.num_scheduled(); i-- > 0;) {
        const Func &func = graph.func(FuncId(i));
        if (!func.locked && !near[i]) continue;
        for (EdgeId e : func.outgoing)
            near[graph.func_of(graph.edge(e).consumer).id.index()] = true;
    }
    for (const Edge &edge : graph.edges())
        if (graph.func_of(edge.consumer).locked) near[edge.producer.index()] = true;
    return near;
}

}  // namespace

LoopNest careful_schedule(const StageGraph &graph, const Machine &machine) {
    const std::vector<bool> near = near_users(graph);
    LoopNest nest(graph);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const Func &func = graph.func(FuncId(i));
        if (!near[i] || func.locked) {
            nest = decide_plainly(std::move(nest), func, machine);
            continue;
        }
        if (func.can_inline) nest = apply_or_keep(std::move(nest), action::Inline{func.id});
        if (!nest.decided(func.id))
            nest = apply_or_keep(std::move(nest), action::ComputeRoot{func.id});
    }
    return nest;
}

}  // namespace cryolite
