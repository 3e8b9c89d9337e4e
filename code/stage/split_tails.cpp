#include "code/stage/split_tails.h"

#include <algorithm>

#include "schedule/func_nest.h"

namespace cryolite {
namespace {

int64_t round_up(int64_t v, int64_t multiple) { return (v + multiple - 1) / multiple * multiple; }

int64_t outermost_span(const StageNest &nest, size_t dim) {
    for (const LoopLevel &l : nest.loops)
        if (static_cast<size_t>(l.name.dim) == dim && l.name.level == 0) return l.span;
    return 1;
}

bool is_split(const StageNest &nest, size_t dim) {
    return std::ranges::any_of(nest.loops, [&](const LoopLevel &l) {
        return static_cast<size_t>(l.name.dim) == dim && l.name.level > 0;
    });
}

// Whether the stage may have a case for large sizes in which its last parts shift inwards. Only outputs do:
// - The extents of any other Func have no name to specialise for, and its parts may round up.
// - An output that other Funcs read is computed over more than the extents of its buffer.
// - Halide specialises nothing that shares its loops with another Func.
// On a GPU, too: a guard around each copy of an unrolled body keeps loads from being on their way together.
bool may_shift_inwards(const StageGraph &graph, const StageNest &nest) {
    const Func &func = graph.func_of(nest.stage);
    return func.is_output() && func.stages.size() == 1 && func.outgoing.empty() &&
           func.may_specialize && !nest.has_company;
}

}  // namespace

bool may_round_up(const Func &func, const StageLoop &loop) {
    // Past the end of this loop, the predicate could let points pass that it excludes inside.
    return !loop.is_reduction && !loop.in_predicate && !func.is_output() &&
           func.may_overcompute[static_cast<size_t>(loop.func_dim)];
}

int64_t rounding_span(const StageGraph &graph, const StageNest &nest, size_t dim,
                      bool holds_others) {
    const Stage &stage = graph.stage(nest.stage);
    // In another's kernel, shared memory and registers are given out beforehand.
    if (nest.in_kernel) return 1;
    if (!may_round_up(graph.func(stage.func), stage.loops[dim])) return 1;
    if (holds_others) return outermost_span(nest, dim);
    if (shifts_vectors(graph, nest, dim, holds_others)) return 1;
    int64_t rounding = 1, around = 1;  // `around`: the span of the level before
    for (const LoopLevel &l : nest.loops) {
        if (static_cast<size_t>(l.name.dim) != dim) continue;
        if (l.name.level > 0 && (l.kind == LoopKind::Vectorized || l.kind == LoopKind::Unrolled))
            rounding = std::max(rounding, around);
        around = l.span;
    }
    return rounding;
}

bool shifts_vectors(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others) {
    const Stage &stage = graph.stage(nest.stage);
    const Func &func = graph.func(stage.func);
    const StageLoop &loop = stage.loops[dim];
    if (func.shifts_vectors.empty() || loop.func_dim < 0 ||
        !func.shifts_vectors[static_cast<size_t>(loop.func_dim)])
        return false;
    // Updates would work twice on what is computed twice.
    if (stage.index > 0 || holds_others || nest.in_kernel || nest.has_company || nest.loops.empty())
        return false;
    const LoopLevel &vector = nest.loops.back();
    return vector.kind == LoopKind::Vectorized && static_cast<size_t>(vector.name.dim) == dim &&
           vector.name.level > 0 && vector.woven == 1 && vector.extent <= nest.range[dim].extent();
}

bool may_divide(const StageNest &output, size_t dim) {
    return output.range[dim].min == 0 &&
           output.range[dim].extent() % outermost_span(output, dim) == 0;
}

std::vector<WholePart> shifted_case(const StageGraph &graph, const StageNest &nest) {
    std::vector<WholePart> parts;
    if (!may_shift_inwards(graph, nest)) return parts;
    const Stage &stage = graph.stage(nest.stage);
    for (size_t d = 0; d < stage.loops.size(); d++)
        if (is_split(nest, d)) parts.push_back({stage.loops[d].func_dim, outermost_span(nest, d)});
    return parts;
}

bool shifts_inwards(const StageGraph &graph, const StageNest &nest) {
    if (!may_shift_inwards(graph, nest)) return false;
    for (size_t d = 0; d < graph.stage(nest.stage).loops.size(); d++)
        if (nest.range[d].extent() < outermost_span(nest, d)) return false;
    return true;
}

bool is_guarded(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others) {
    const int64_t span = outermost_span(nest, dim);
    const int64_t rounding = rounding_span(graph, nest, dim, holds_others);
    if (span <= rounding || shifts_inwards(graph, nest)) return false;
    return round_up(nest.range[dim].extent(), rounding) % span != 0;
}

Tail tail_of(const StageGraph &graph, const StageNest &nest, size_t dim, bool holds_others) {
    const int64_t extent = nest.range[dim].extent();
    if (extent % outermost_span(nest, dim) == 0) return Tail::None;
    const int64_t rounding = rounding_span(graph, nest, dim, holds_others);
    if (rounding > 1 && extent % rounding != 0) return Tail::RoundsUp;
    return shifts_inwards(graph, nest) ? Tail::ShiftsInwards : Tail::Guarded;
}

int64_t computed_extent(const StageGraph &graph, const StageNest &nest, size_t dim,
                        bool holds_others) {
    const int64_t extent = nest.range[dim].extent();
    switch (tail_of(graph, nest, dim, holds_others)) {
        case Tail::RoundsUp: return round_up(extent, rounding_span(graph, nest, dim, holds_others));
        case Tail::ShiftsInwards: return round_up(extent, outermost_span(nest, dim));
        case Tail::None:
        case Tail::Guarded: break;
    }
    return extent;
}

}  // namespace cryolite
