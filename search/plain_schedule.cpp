// The plain schedule: what is emitted when nothing better is known, and the ground of comparison.
#include <algorithm>

#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "code/legality/tile_kernels.h"
#include "schedule/func_nest.h"
#include "search/gpu/gpu_tilings.h"
#include "search/plain_schedule.h"
#include "search/search.h"

namespace cryolite {
namespace {

// Enough that the last tasks do not leave other cores idle for long.
constexpr int64_t tasks_per_core = 8;

}  // namespace

TilingTemplate plain_template(const LoopNest &nest, const Func &func, const Machine &machine) {
    TilingTemplate t;
    t.tile.assign(func.dims.size(), 0);
    t.unroll.assign(func.dims.size(), 1);
    const FuncNest &placed = nest.at(func.id);
    for (const StageNest &s : placed.stages) {
        double points = 1;
        for (const Interval &i : s.range) points *= static_cast<double>(i.extent());
        if (points >= parallel_threshold_points) t.parallel = 1;
    }
    const Intervals &region = placed.compute_region;
    if (func.storage_order.empty() || func.values.empty()) return t;
    t.vector_dim = row_dim(func);
    t.width = std::max(1, machine.vector_bytes / func.values[0].bytes());
    if (const int64_t colours = interleaved_colours(func); colours > 1) {
        t.colour_dim = func.storage_order[0];
        t.unroll[static_cast<size_t>(t.colour_dim)] = colours;
    }
    const auto across = static_cast<size_t>(t.vector_dim);
    const int64_t extent = region[across].extent();
    while (t.width > extent && t.width > 1) t.width /= 2;
    bool has_rows = false;
    for (size_t d = 0; d < region.size(); d++) has_rows |= d != across && region[d].extent() > 1;
    // A task of one vector would be all overhead: tasks get several.
    const int64_t tasks = machine.cores * tasks_per_core, vectors = extent / t.width;
    if (!has_rows && vectors > tasks) t.tile[across] = (vectors + tasks - 1) / tasks * t.width;
    return t;
}

std::vector<Action> plain_loops(const LoopNest &nest, StageId stage, const Machine &machine) {
    const Func &func = nest.graph().func_of(stage);
    return to_actions(nest.graph().stage(stage), nest.stage_nest(stage).range,
                      plain_template(nest, func, machine));
}

namespace {

LoopNest place_plainly(LoopNest nest, const Func &func) {
    if (const std::optional<Action> only = placement_in_tile_kernel(nest, func.id))
        try_apply(nest, *only);
    if (nest.decided(func.id)) return nest;
    if (func.inline_only || (func.enclosed && func.can_inline)) {
        try_apply(nest, action::Inline{func.id});
        return nest;
    }
    if (func.enclosed) {
        // The outermost place inside all of the user's loops around the Func.
        const std::vector<LoopName> sites = legal_sites(nest, func.id);
        if (!sites.empty()) try_apply(nest, action::ComputeAt{func.id, sites.back()});
    }
    if (!nest.decided(func.id)) try_apply(nest, action::ComputeRoot{func.id});
    // Not at root where the device would read a buffer that may be empty. Such a Func can be inlined.
    if (!nest.decided(func.id)) try_apply(nest, action::Inline{func.id});
    return nest;
}

}  // namespace

void decide_plainly(LoopNest &nest, const Func &func, Hardware hardware) {
    nest = place_plainly(std::move(nest), func);
    if (!has_own_loops(nest, func)) return;
    for (const Action &a : plain_loops(nest, func, hardware)) try_apply(nest, a);
}

bool has_own_loops(const LoopNest &nest, const Func &func) {
    return nest.decided(func.id) && !func.is_extern &&
           nest.at(func.id).placement != Placement::Inline &&
           !is_left_alone(func, nest.at(func.id));
}

std::vector<Action> loops_of(const LoopNest &nest, const Func &func, const TilingTemplate &shape) {
    std::vector<Action> all;
    for (StageId s : func.stages)
        for (Action &a : to_actions(nest.graph().stage(s), nest.stage_nest(s).range, shape))
            all.push_back(std::move(a));
    return all;
}

std::vector<Action> plain_loops(const LoopNest &nest, const Func &func, Hardware hardware) {
    if (hardware.gpu) return plain_gpu_loops(nest, func, *hardware.cpu);
    return loops_of(nest, func, plain_template(nest, func, *hardware.cpu));
}

LoopNest finish_plainly(LoopNest nest, Hardware hardware) {
    const StageGraph &graph = nest.graph();
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const Func &func = graph.func(FuncId(i));
        if (!nest.decided(func.id)) decide_plainly(nest, func, hardware);
    }
    return nest;
}

LoopNest plain_schedule(const StageGraph &graph, Hardware hardware) {
    return finish_plainly(LoopNest(graph), hardware);
}

namespace {

// [FuncId]: Funcs whose loops may change what is required of a locked Func, or what it requires: its direct and
// indirect readers, and the Funcs that it reads.
std::vector<bool> around_locked_funcs(const StageGraph &graph) {
    std::vector<bool> near(graph.funcs().size(), false);
    // Readers have smaller ids than their producers.
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

LoopNest careful_schedule(const StageGraph &graph, Hardware hardware) {
    const std::vector<bool> near = around_locked_funcs(graph);
    LoopNest nest(graph);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const Func &func = graph.func(FuncId(i));
        if (!near[i] || func.locked) {
            decide_plainly(nest, func, hardware);
            continue;
        }
        if (func.can_inline) try_apply(nest, action::Inline{func.id});
        if (!nest.decided(func.id)) try_apply(nest, action::ComputeRoot{func.id});
    }
    return nest;
}

}  // namespace cryolite
