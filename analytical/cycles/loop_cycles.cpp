#include "analytical/cycles/loop_cycles.h"

#include <algorithm>

#include "code/stage/conditions.h"

namespace cryolite {
namespace {

bool has_constant_range(const Stage &stage, size_t loop, const ConstantSides &sides) {
    const StageLoop &l = stage.loops[loop];
    return l.is_reduction ? l.constant_range
                          : sides.is_constant(stage.func, static_cast<size_t>(l.func_dim));
}

}  // namespace

double loop_cycles(const Machine &machine, const StageGraph &graph, const StageNest &nest,
                   const ConstantSides &sides) {
    const Stage &stage = graph.stage(nest.stage);
    const size_t around = loops_of_predicate(stage, nest);
    double cycles = 0, entries = 1, computed = 0;
    for (size_t i = 0; i < nest.loops.size(); i++) {
        const LoopLevel &l = nest.loops[i];
        if (around > 0 && i == around) entries *= stage.passing_share;
        const bool is_constant = has_constant_range(stage, static_cast<size_t>(l.name.dim), sides);
        if (!is_constant) computed++;
        if (l.kind == LoopKind::Vectorized) continue;
        if (l.kind == LoopKind::Unrolled) {
            entries *= static_cast<double>(l.extent);
            continue;
        }
        if (is_constant && l.extent == 1) continue;
        const double trips = entries * static_cast<double>(l.extent);
        cycles += trips * machine.loop_iteration_cycles + entries * machine.core.loop_entry_cycles;
        entries = trips;
    }
    return cycles + machine.core.realisation_cycles_per_loop * computed;
}

double surprise_cycles(const Machine &machine, const StageGraph &graph, const Stage &stage) {
    if (stage.loaded_share == 1 ||
        different_outcomes(stage, graph.func(stage.func)) <= machine.core.branches_learned)
        return 0;
    return std::min(stage.loaded_share, 1 - stage.loaded_share) * machine.core.misprediction_cycles;
}

ConditionCycles condition_cycles(const Machine &machine, const StageGraph &graph,
                                 const StageNest &nest) {
    const Conditions c = conditions(graph, nest);
    return {.tests = c.asked * machine.loop_iteration_cycles,
            .surprises = c.guessed * surprise_cycles(machine, graph, graph.stage(nest.stage))};
}

}  // namespace cryolite
