#include "code/stage/conditions.h"

#include <algorithm>

namespace cryolite {
double different_outcomes(const Stage &stage, const Func &func) {
    double outcomes = 1;
    for (const StageLoop &loop : stage.loops) {
        if (!loop.in_predicate) continue;
        const Interval &range =
            loop.is_reduction ? loop.range : func.root_region[static_cast<size_t>(loop.func_dim)];
        outcomes *= static_cast<double>(std::max<int64_t>(1, range.extent()));
    }
    return outcomes;
}

size_t loops_of_predicate(const Stage &stage, const StageNest &nest) {
    size_t n = nest.loops.size();
    while (n > 0 && !stage.loops[static_cast<size_t>(nest.loops[n - 1].name.dim)].in_predicate) n--;
    return n;
}

Conditions conditions(const StageGraph &graph, const StageNest &nest) {
    const Stage &stage = graph.stage(nest.stage);
    Conditions c;
    if (!stage.has_predicate) return c;
    double times = 1, asked = 1;
    bool has_copies = false, has_masks = false;
    for (const LoopLevel &l : nest.loops) {
        times *= static_cast<double>(l.extent);
        if (!stage.loops[static_cast<size_t>(l.name.dim)].in_predicate) continue;
        asked = times;
        has_copies |= l.kind == LoopKind::Unrolled;
        has_masks |= l.kind == LoopKind::Vectorized;
    }
    if (!has_copies && (stage.predicate_is_plain || has_masks)) return c;
    // The other conditions exclude iterations without a test, or foreseeably.
    const double others = stage.passing_share / stage.loaded_share;
    c.asked = has_copies ? asked : asked * others;
    if (stage.loaded_share < 1 && !has_masks) c.guessed = asked * others;
    return c;
}

}  // namespace cryolite
