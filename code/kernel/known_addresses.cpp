#include "code/kernel/known_addresses.h"

#include <algorithm>

#include "code/stage/split_tails.h"

namespace cryolite {
namespace {

// Of a serial loop Halide cuts the last part off; two thirds of it and more are then without a guard.
bool is_mostly_free(const Stage &stage, const LoopLevel &l) {
    return l.kind == LoopKind::Serial && l.extent > 2 &&
           !stage.loops[static_cast<size_t>(l.name.dim)].is_reduction;
}

// The distance in memory of two neighbours along a dimension is a constant: along the innermost one
// always, else if what lies within has a bound.
bool has_known_stride(const FuncNest &nest, const std::vector<int> &order, int dim) {
    for (int inner : order) {
        if (dim < 0 || inner == dim) break;
        if (nest.storage_bound.empty() || nest.storage_bound[static_cast<size_t>(inner)] == 0)
            return false;
    }
    return true;
}

// Copies that each stand under a condition of their own. Under a condition a sum moves to a register only if
// its address is known to be one of the Func's own memory, that is a constant: where no loop over a pure
// dimension is left around it.
bool has_moving_conditional_sums(const Stage &stage, const InnerLoops &in, const StageNest &nest) {
    const auto is_one_of_many = [&](const LoopLevel &l) {
        return l.extent > 1 && l.kind != LoopKind::Unrolled && l.kind != LoopKind::Vectorized &&
               !stage.loops[static_cast<size_t>(l.name.dim)].is_reduction;
    };
    return std::ranges::any_of(
               in.unrolled,
               [&](const UnrolledLoop &u) { return stage.loops[u.dim].in_predicate; }) &&
           std::ranges::any_of(nest.loops, is_one_of_many);
}

// Vectors that may not reach past the end stand under a condition each, unless Halide can cut a serial loop
// along them into a part that needs none and the rest. Of parallel loops, which are fused into one, it
// cannot, and every one of the unrolled vectors keeps its own. (What is asked of unrolled rows costs little.)
bool has_guarded_vectors(const Stage &stage, const Func &func, const FuncNest &placed,
                         const StageNest &nest, const InnerLoops &in) {
    if (placed.placement != Placement::Root || stage.index == 0 || in.vector_dim < 0 ||
        in.unroll_product == 1)
        return false;
    const auto d = static_cast<size_t>(in.vector_dim);
    if (stage.loops[d].is_reduction || may_round_up(func, stage.loops[d])) return false;
    bool parallel = false;
    for (const LoopLevel &l : nest.loops) {
        if (static_cast<size_t>(l.name.dim) != d || l.extent == 1) continue;
        if (l.kind == LoopKind::Serial) return false;
        parallel |= l.kind == LoopKind::Parallel;
    }
    return parallel;
}

// What is stored inside the stage's loops, with those of them that move along dimension d around it, or in
// a loop around the stage itself, starts where the stage does: the index is a constant.
bool has_constant_index(const LoopNest &schedule, const StageNest &nest, const FuncNest &producer,
                        const LoadGroup &load, size_t d) {
    if (!producer.store_at) return false;
    const int site =
        producer.store_at->stage == nest.stage ? schedule.position(*producer.store_at) : -1;
    return std::none_of(nest.loops.begin() + site + 1, nest.loops.end(), [&](const LoopLevel &l) {
        return l.extent > 1 && l.kind != LoopKind::Unrolled && l.kind != LoopKind::Vectorized &&
               load.coefficient[d][static_cast<size_t>(l.name.dim)] != 0;
    });
}

}  // namespace

bool neighbours_meet(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                     size_t loop, const ConstantSides &sides) {
    const std::vector<int> &order = schedule.storage_order(load.producer);
    // That of dimension d is known with the sides of all that lies within.
    const auto has_constant_stride = [&](size_t d) {
        for (int inner : order) {
            if (static_cast<size_t>(inner) == d) break;
            if (!sides.is_constant(load.producer, static_cast<size_t>(inner))) return false;
        }
        return true;
    };
    const bool is_placed =
        !schedule.graph().func(load.producer).is_input() && schedule.decided(load.producer);
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        if (load.coefficient[d][loop] == 0) continue;
        if (!order.empty() && static_cast<size_t>(order[0]) == d) continue;
        if (!is_placed) return false;
        const FuncNest &producer = schedule.at(load.producer);
        const bool folded = producer.slide_dim == static_cast<int>(d) && !producer.slide_is_clamped;
        if (!folded && !has_constant_stride(d) &&
            !has_constant_index(schedule, *code.nest, producer, load, d))
            return false;
    }
    return true;
}

KnownAddresses known_addresses(const LoopNest &schedule, const StageCode &code) {
    const Stage &stage = *code.stage;
    const StageNest &nest = *code.nest;
    const InnerLoops &in = code.inner;
    const Func &func = schedule.graph().func(stage.func);
    const std::vector<int> &order = schedule.storage_order(func.id);
    const FuncNest &placed = schedule.at(func.id);
    const bool is_vector = in.vector_dim >= 0 && in.lanes > 1 && !order.empty();
    const int along = is_vector ? stage.loops[static_cast<size_t>(in.vector_dim)].func_dim : -1;
    const bool stored_apart = is_vector && along != order[0];
    const auto is_guarded_part = [&](const LoopLevel &l) {
        return l.name.level == 0 && is_guarded(schedule.graph(), nest,
                                               static_cast<size_t>(l.name.dim), code.holds_others);
    };
    const bool guarded = std::ranges::any_of(nest.loops, is_guarded_part);
    const bool sums_guarded = std::ranges::any_of(nest.loops, [&](const LoopLevel &l) {
        return is_guarded_part(l) && !is_mostly_free(stage, l);
    });

    KnownAddresses known;
    known.masked_lanes = is_vector && stage.loops[static_cast<size_t>(in.vector_dim)].in_predicate;
    bool told_apart = true;
    for (const UnrolledLoop &u : in.unrolled) {
        const StageLoop &loop = stage.loops[u.dim];
        told_apart = told_apart && has_known_stride(placed, order, loop.func_dim);
        // Under one mask a sum is passed on, from mask to mask it goes through memory.
        const bool changes_mask = known.masked_lanes && loop.in_predicate;
        if (told_apart && !stored_apart && loop.is_reduction && !changes_mask)
            known.steps_in_place *= u.factor;
    }
    const bool conditional = has_moving_conditional_sums(stage, in, nest);
    if (conditional) known.steps_in_place = 1;
    // LLVM moves no masked access out of a loop.
    known.sums_in_registers =
        told_apart && !stored_apart && !sums_guarded && !conditional && !known.masked_lanes;
    known.guarded_vectors = has_guarded_vectors(stage, func, placed, nest, in);
    // Of a square that may be cut, every row is guarded.
    const auto is_bounded = [&](int dim) {
        return dim >= 0 && !placed.storage_bound.empty() &&
               placed.storage_bound[static_cast<size_t>(dim)] > 0;
    };
    known.turns_squares = told_apart && stored_apart && !guarded && is_bounded(along) &&
                          is_bounded(order[0]) && has_known_stride(placed, order, along);
    return known;
}

}  // namespace cryolite
