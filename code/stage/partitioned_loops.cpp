#include "code/stage/partitioned_loops.h"

#include <algorithm>
#include <optional>
#include <set>

#include "code/regions/box_motions.h"
#include "code/stage/whole_loops.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// Whether a boundary condition clamps an index that moves with a loop of a stage. Funcs that are inlined into the stage
// count.
class ClampedLoads {
public:
    explicit ClampedLoads(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    bool along(const Stage &stage, size_t loop) {
        if (!asked_.insert({stage.id, loop}).second) return false;
        for (EdgeId id : stage.incoming) {
            const Edge &edge = graph_.edge(id);
            for (const Access &access : edge.accesses)
                for (size_t d = 0; d < access.index.size(); d++)
                    if (moves(access.index[d], loop) &&
                        (access.index[d].clamp != Clamp::None || continues(edge.producer, d)))
                        return true;
        }
        return false;
    }

private:
    static bool moves(const IndexMap &index, size_t loop) {
        return loop < index.depends_on.size() && index.depends_on[loop];
    }

    bool continues(FuncId f, size_t dim) {
        const Func &func = graph_.func(f);
        if (func.is_input() || !nest_.decided(f) || nest_.at(f).placement != Placement::Inline)
            return false;
        const Stage &pure = graph_.stage(func.stages[0]);
        for (size_t l = 0; l < pure.loops.size(); l++)
            if (pure.loops[l].func_dim == static_cast<int>(dim)) return along(pure, l);
        return false;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::set<std::pair<StageId, size_t>> asked_;
};

bool is_cut(const LoopLevel &loop) {
    return loop.kind != LoopKind::Vectorized && loop.kind != LoopKind::Unrolled;
}

// Whether copies of the stage stand under conditions of their own: it is unrolled along a loop that its predicate
// depends on.
bool has_conditional_copies(const Stage &stage, const StageNest &nest) {
    return std::ranges::any_of(nest.loops, [&](const LoopLevel &l) {
        return l.kind == LoopKind::Unrolled &&
               is_conditional(stage.loops[static_cast<size_t>(l.name.dim)]);
    });
}

bool walks(const LoopLevel &l) { return l.extent > 1 && is_cut(l); }

const LoopLevel &level_of(const LoopNest &nest, LoopName loop) {
    return nest.stage_nest(loop.stage).loops[static_cast<size_t>(nest.position(loop))];
}

// Collects the loops of readers around the innermost of them that moves dimension d of the Func, if there is one.
void collect_around_tiles(const LoopNest &nest, const FuncNest &func, size_t d,
                          std::set<LoopName> &out) {
    const std::optional<BoxMotion> motion = box_motions(nest, func.func, *func.compute_at)[d];
    if (!motion) return;
    const std::vector<LoopName> around = nest.enclosing(*func.compute_at);
    size_t inner = around.size();
    const auto moves = [&](LoopName l) {
        return walks(level_of(nest, l)) && motion->by.contains({l.stage, l.dim, 0});
    };
    while (inner > 0 && !moves(around[inner - 1])) inner--;
    for (size_t l = 0; l + 1 < inner; l++) out.insert(around[l]);
}

// Collects all loops around the innermost loop that walks along the stage's vectors, if there is such a loop.
void collect(const LoopNest &nest, const FuncNest &func, const StageNest &stage,
             std::set<LoopName> &out) {
    const int16_t dim = stage.loops.back().name.dim;
    size_t inner = stage.loops.size();
    const auto is_along = [&](const LoopLevel &l) { return l.name.dim == dim && walks(l); };
    while (inner > 0 && !is_along(stage.loops[inner - 1])) inner--;
    if (inner == 0) {
        const int d = nest.graph().stage(stage.stage).loops[static_cast<size_t>(dim)].func_dim;
        if (func.compute_at && d >= 0)
            collect_around_tiles(nest, func, static_cast<size_t>(d), out);
        return;
    }
    // A loop with one iteration at the estimates is still a loop, for example over four channels, four at a time. But
    // along single points of the leader's loops a companion has no loop of its own.
    const auto is_leaders = [&](const LoopLevel &l) {
        const Stage &of = nest.graph().stage(stage.stage);
        return func.is_companion &&
               shared_part(nest, func, of.loops[static_cast<size_t>(l.name.dim)].func_dim) == 1;
    };
    for (size_t l = 0; l + 1 < inner; l++)
        if (is_cut(stage.loops[l]) && !is_leaders(stage.loops[l])) out.insert(stage.loops[l].name);
    if (!func.compute_at) return;
    for (LoopName loop : nest.enclosing(*func.compute_at)) out.insert(loop);
}

}  // namespace

std::vector<LoopName> loops_not_to_partition(const LoopNest &nest) {
    const StageGraph &graph = nest.graph();
    std::set<LoopName> loops;
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || func.locked || !nest.decided(func.id)) continue;
        const FuncNest &placed = nest.at(func.id);
        for (const StageNest &stage : placed.stages) {
            if (placed.compute_at && has_conditional_copies(graph.stage(stage.stage), stage))
                for (LoopName loop : nest.enclosing(*placed.compute_at)) loops.insert(loop);
            if (stage.loops.empty() || stage.loops.back().kind != LoopKind::Vectorized) continue;
            const auto dim = static_cast<size_t>(stage.loops.back().name.dim);
            // A search remembers which inlined Funcs it has seen, so each stage needs a new one.
            if (ClampedLoads(nest).along(graph.stage(stage.stage), dim))
                collect(nest, placed, stage, loops);
        }
    }
    return {loops.begin(), loops.end()};
}

}  // namespace cryolite
