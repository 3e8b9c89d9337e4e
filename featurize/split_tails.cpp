#include "featurize/split_tails.h"

namespace cryolite {
namespace {

int64_t outermost_span(const StageNest &nest, size_t dim) {
    for (const LoopLevel &l : nest.loops)
        if (static_cast<size_t>(l.name.dim) == dim && l.name.level == 0) return l.span;
    return 1;
}

// Such an output has a case of its own for sizes that hold a whole part in every split dimension.
bool shifts_inwards(const StageGraph &graph, const Func &func, const StageNest &nest) {
    if (!func.is_output() || func.stages.size() > 1 || !func.outgoing.empty() ||
        !func.may_specialize)
        return false;
    for (size_t d = 0; d < graph.stage(nest.stage).loops.size(); d++)
        if (nest.range[d].extent() < outermost_span(nest, d)) return false;
    return true;
}

}  // namespace

Tail tail_of(const StageGraph &graph, const StageNest &nest, size_t dim) {
    const Stage &stage = graph.stage(nest.stage);
    const Func &func = graph.func(stage.func);
    if (nest.range[dim].extent() % outermost_span(nest, dim) == 0) return Tail::None;
    const StageLoop &loop = stage.loops[dim];
    if (!loop.is_reduction && !func.is_output() &&
        func.may_overcompute[static_cast<size_t>(loop.func_dim)])
        return Tail::RoundsUp;
    return shifts_inwards(graph, func, nest) ? Tail::ShiftsInwards : Tail::Guarded;
}

int64_t computed_extent(const StageGraph &graph, const StageNest &nest, size_t dim) {
    const int64_t extent = nest.range[dim].extent();
    const Tail tail = tail_of(graph, nest, dim);
    if (tail == Tail::None || tail == Tail::Guarded) return extent;
    const int64_t span = outermost_span(nest, dim);
    return (extent + span - 1) / span * span;
}

}  // namespace cryolite
