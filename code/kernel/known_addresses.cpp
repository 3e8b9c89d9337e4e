#include "code/kernel/known_addresses.h"

#include <algorithm>

#include "base/small_vector.h"
#include "code/stage/split_tails.h"
#include "graph/facts/scatters.h"

namespace cryolite {
namespace {

// Whether most iterations of a guarded loop have no guard. Halide cuts the last iteration off a serial loop. With three
// iterations or more, at least two thirds of them then have no guard.
bool is_mostly_free(const Stage &stage, const LoopLevel &l) {
    return l.kind == LoopKind::Serial && l.extent > 2 &&
           !stage.loops[static_cast<size_t>(l.name.dim)].is_reduction;
}

// The share of a guarded loop's points that lie in its last iteration.
double share_of_last_part(const StageNest &nest, const LoopLevel &l) {
    const int64_t points = nest.range[static_cast<size_t>(l.name.dim)].extent();
    return static_cast<double>(points - (l.extent - 1) * l.span) / static_cast<double>(points);
}

// Whether copies under conditions of their own keep sums in memory. Under a condition, a sum moves to a register only
// if its address in the Func's own memory is a constant. So no loop over a pure dimension may be left around it.
bool has_moving_conditional_sums(const Stage &stage, const InnerLoops &in, const StageNest &nest) {
    const auto is_one_of_many = [&](const LoopLevel &l) {
        return l.extent > 1 && l.kind != LoopKind::Unrolled && l.kind != LoopKind::Vectorized &&
               !stage.loops[static_cast<size_t>(l.name.dim)].is_reduction;
    };
    const auto is_conditional = [&](const UnrolledLoop &u) {
        return stage.loops[u.dim].in_predicate;
    };
    return (std::ranges::any_of(in.unrolled, is_conditional) ||
            std::ranges::any_of(in.copied, is_conditional)) &&
           std::ranges::any_of(nest.loops, is_one_of_many);
}

// Whether each of the unrolled vectors keeps a condition. Vectors that may not reach past the end need one. Halide can
// cut a serial loop along the vectors into a part without conditions and a rest. It cannot cut parallel loops, which
// are fused into one. (Conditions of unrolled rows cost little.)
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

// Whether unrolled copies keep a condition each: those of an output that has no case for large sizes (shifted_case()).
// Halide could take the conditions off most iterations of the loop around, but must not cut that loop where Funcs are
// computed in it whose boundary conditions are cut further inside (code/stage/partitioned_loops.h).
bool has_guarded_copies(const StageGraph &graph, const StageCode &code) {
    const Func &func = graph.func(code.stage->func);
    return code.holds_others &&
           std::ranges::any_of(code.inner.unrolled,
                               [&](const UnrolledLoop &u) {
                                   const StageLoop &loop = code.stage->loops[u.dim];
                                   return !loop.is_reduction && !may_round_up(func, loop);
                               }) &&
           shifted_case(graph, *code.nest).empty();
}

// Whether the loop over whole parts inside of another Func's loop keeps a guard although the parts divide its range: at
// other sizes of the image the Func around needs less at its end.
bool is_guarded_at_some_sizes(const LoopNest &schedule, const StageCode &code, const LoopLevel &l,
                              const ConstantSides &sides) {
    const FuncNest &placed = schedule.at(code.stage->func);
    const StageLoop &loop = code.stage->loops[static_cast<size_t>(l.name.dim)];
    return placed.compute_at && !loop.is_reduction &&
           rounding_span(schedule.graph(), *code.nest, static_cast<size_t>(l.name.dim),
                         code.holds_others) < l.span &&
           sides.ends_at_any_size(code.stage->func, static_cast<size_t>(loop.func_dim));
}

// Whether the load's index in dimension d of the producer's memory is a constant. The producer must be stored inside
// the stage's loops, or in a loop around the stage. Then its memory starts where the reader does, if no loop inside the
// storage moves along d.
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

// KnownAddresses::interleaved of a pure stage without guards whose vectors walk along dimension `along`. Halide looks
// at as many stores in a row as the stride says, so the copies must be the innermost ones.
int interleaved_copies(const LoopNest &schedule, const StageCode &code, int along,
                       const ConstantSides &sides) {
    constexpr double most = 4;  // Halide interleaves more; whether that pays was not measured
    const Func &func = schedule.graph().func(code.stage->func);
    const std::vector<int> &order = schedule.storage_order(func.id);
    if (code.stage->index > 0 || code.inner.unrolled.empty()) return 1;
    const UnrolledLoop &copies = code.inner.unrolled[0];
    const auto inner = static_cast<size_t>(order[0]);
    if (code.stage->loops[copies.dim].func_dim != order[0]) return 1;
    double stride = 0;
    if (!func.strides.empty())
        stride = func.strides[inner] == 1
                     ? static_cast<double>(func.strides[static_cast<size_t>(along)])
                     : 0;
    else if (order[1] == along && sides.is_constant(func.id, inner))
        stride = static_cast<double>(schedule.at(func.id).store_region[inner].extent());
    return stride == copies.factor && stride <= most ? static_cast<int>(stride) : 1;
}

// KnownAddresses::masks_overlap of a stage whose vectors walk along dimension `along`.
bool masks_overlap(const LoopNest &schedule, const StageCode &code, int along) {
    const Func &func = schedule.graph().func(code.stage->func);
    const std::vector<int> &order = schedule.storage_order(func.id);
    if (order.size() < 2 || order[0] != along || !schedule.decided(func.id)) return false;
    const Box &stored = schedule.at(func.id).store_region;
    return stored[static_cast<size_t>(along)].extent() < code.inner.lanes &&
           std::ranges::any_of(code.inner.unrolled, [&](const UnrolledLoop &u) {
               const int dim = code.stage->loops[u.dim].func_dim;
               return dim >= 0 && dim != along && u.factor > 1;
           });
}

// KnownAddresses::joins_rows of a stage whose vectors walk along dimension `along`.
bool joins_rows(const LoopNest &schedule, const StageCode &code, int along,
                const ConstantSides &sides) {
    const InnerLoops &in = code.inner;
    const Func &func = schedule.graph().func(code.stage->func);
    const std::vector<int> &order = schedule.storage_order(func.id);
    if (in.joined == 1 || order.size() < 2 || order[1] != along) return false;
    const StageLoop &copies = code.stage->loops[static_cast<size_t>(in.joined_dim)];
    if (copies.func_dim != order[0]) return false;
    const auto row = static_cast<size_t>(order[0]);
    if (!func.strides.empty())
        return func.strides[row] == 1 && func.strides[static_cast<size_t>(along)] == in.joined;
    return sides.is_constant(func.id, row) &&
           schedule.at(func.id).store_region[row].extent() == in.joined;
}

}  // namespace

bool has_constant_distance(const LoopNest &schedule, FuncId f, size_t d,
                           const ConstantSides &sides) {
    if (!schedule.graph().func(f).strides.empty()) return sides.has_constant_stride(f, d);
    const std::vector<int> &order = schedule.storage_order(f);
    if (order.empty() || static_cast<size_t>(order[0]) == d) return true;
    // A Func that is not decided counts as stored at root.
    return !schedule.graph().func(f).is_input() && sides.has_constant_stride(f, d);
}

bool neighbours_meet(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                     size_t loop, const ConstantSides &sides) {
    const bool is_placed =
        !schedule.graph().func(load.producer).is_input() && schedule.decided(load.producer);
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        if (load.coefficient[d][loop] == 0) continue;
        if (has_constant_distance(schedule, load.producer, d, sides)) continue;
        if (!is_placed) return false;
        const FuncNest &producer = schedule.at(load.producer);
        const bool folded = producer.slide_dim == static_cast<int>(d) &&
                            !producer.slide_is_clamped && !producer.slide_grows;
        if (!folded && !has_constant_index(schedule, *code.nest, producer, load, d)) return false;
    }
    return true;
}

KnownAddresses masked(KnownAddresses known) {
    known.masked_lanes = true;
    known.sums_in_registers = false;  // LLVM moves no masked access out of a loop
    if (known.masks_overlap) known.steps_in_place = 1;
    return known;
}

KnownAddresses known_addresses(const LoopNest &schedule, const StageCode &code,
                               const ConstantSides &sides) {
    const Stage &stage = *code.stage;
    const StageNest &nest = *code.nest;
    const InnerLoops &in = code.inner;
    const Func &func = schedule.graph().func(stage.func);
    const std::vector<int> &order = schedule.storage_order(func.id);
    const FuncNest &placed = schedule.at(func.id);
    const bool is_vector = in.vector_dim >= 0 && in.lanes > 1 && !order.empty();
    const int along = is_vector ? stage.loops[static_cast<size_t>(in.vector_dim)].func_dim : -1;
    const bool joined = is_vector && joins_rows(schedule, code, along, sides);
    const bool stored_apart = is_vector && along != order[0] && !joined;
    // Loops that are no dimension of the Func step on the spot.
    const auto has_constant_stride = [&](int dim) {
        return dim < 0 || sides.has_constant_stride(func.id, static_cast<size_t>(dim));
    };
    const auto is_guarded_part = [&](const LoopLevel &l) {
        return l.name.level == 0 &&
               (is_guarded(schedule.graph(), nest, static_cast<size_t>(l.name.dim),
                           code.holds_others) ||
                is_guarded_at_some_sizes(schedule, code, l, sides));
    };
    const bool guarded = std::ranges::any_of(nest.loops, is_guarded_part);
    const bool sums_guarded = std::ranges::any_of(nest.loops, [&](const LoopLevel &l) {
        return is_guarded_part(l) && !is_mostly_free(stage, l);
    });

    KnownAddresses known;
    known.joins_rows = joined;
    known.masked_lanes = is_vector && stage.loops[static_cast<size_t>(in.vector_dim)].in_predicate;
    bool told_apart = true;
    for (const UnrolledLoop &u : in.unrolled) {
        const StageLoop &loop = stage.loops[u.dim];
        told_apart = told_apart && has_constant_stride(loop.func_dim);
        // Steps under the same mask pass a sum on. From one mask to another it goes through memory.
        const bool changes_mask = known.masked_lanes && loop.in_predicate;
        if (told_apart && !stored_apart && loop.is_reduction && !changes_mask &&
            !scatters_along(stage, u.dim))
            known.steps_in_place *= u.factor;
    }
    const bool conditional = has_moving_conditional_sums(stage, in, nest);
    if (conditional) known.steps_in_place = 1;
    // LLVM moves no masked access out of a loop.
    known.sums_in_registers =
        told_apart && !stored_apart && !sums_guarded && !conditional && !known.masked_lanes;
    if (known.sums_in_registers)
        for (const LoopLevel &l : nest.loops)
            if (is_guarded_part(l))
                known.guarded_share =
                    1 - (1 - known.guarded_share) * (1 - share_of_last_part(nest, l));
    known.guarded_vectors = has_guarded_vectors(stage, func, placed, nest, in);
    known.guarded_copies = has_guarded_copies(schedule.graph(), code);
    // If the end of the range may cut a square, each of its rows is guarded and it is not transposed.
    const auto has_constant_side = [&](int dim) {
        return dim >= 0 && sides.is_constant(func.id, static_cast<size_t>(dim));
    };
    known.turns_squares = told_apart && stored_apart && !guarded && in.joined == 1 &&
                          has_constant_side(along) && has_constant_side(order[0]) &&
                          has_constant_stride(along);
    if (stored_apart && !guarded && !known.turns_squares && in.joined == 1)
        known.interleaved = interleaved_copies(schedule, code, along, sides);
    if (in.lane_step > 1) {
        known.interleaved = stored_apart ? 1 : in.lane_step;
        // Sums are woven in each step that stores them.
        known.sums_in_registers = false;
        known.steps_in_place = 1;
    }
    known.masks_overlap = is_vector && masks_overlap(schedule, code, along);
    return known.masked_lanes ? masked(known) : known;
}

double addresses_of_load(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                         const ConstantSides &sides) {
    if (load.gather) return 0;  // its index is computed anyway
    double addresses = 1;
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        if (has_constant_distance(schedule, load.producer, d, sides)) continue;
        SmallVector<double, 8> copies(load.depends_on.size(), 1);
        for (const UnrolledLoop &u : code.inner.unrolled) {
            // Rows of y * 2 / 3 cannot be compared from copy to copy.
            const bool is_apart = load.exact_coefficient[d][u.dim].denominator > 1 && !u.is_known;
            (is_apart ? addresses : copies[u.dim]) *= u.factor;
        }
        SmallVector<Rational, 8> offsets;  // without repetitions
        for (const std::vector<Rational> &of_load : load.offsets)
            if (std::ranges::find(offsets, of_load[d]) == offsets.end())
                offsets.push_back(of_load[d]);
        addresses *= different_indices(
            load, d, std::max<double>(1, static_cast<double>(offsets.size())), copies);
    }
    return addresses;
}

}  // namespace cryolite
