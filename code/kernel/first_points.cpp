#include "code/kernel/first_points.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "code/stage/split_tails.h"
#include "code/stage/woven_vectors.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

bool is_copied(const LoopLevel &l) {
    return l.kind == LoopKind::Vectorized || l.kind == LoopKind::Unrolled;
}

// The loops of a stage along one dimension.
struct LoopsAlong {
    int64_t copies = 1;
    bool has_vector = false, is_woven = false;
    // Halide partitions a loop that is the innermost one but for copies, and knows where the other parts begin.
    bool is_partitioned = false;
};

LoopsAlong loops_along(const LoopNest &nest, const StageNest &stage, size_t loop) {
    LoopsAlong along;
    size_t around = 0, position = 0, innermost = 0;
    for (size_t k = 0; k < stage.loops.size(); k++) {
        const LoopLevel &l = stage.loops[k];
        const bool is_here = static_cast<size_t>(l.name.dim) == loop;
        if (is_copied(l)) {
            if (is_here) along.copies *= l.extent;
            along.has_vector |= is_here && l.kind == LoopKind::Vectorized;
            along.is_woven |= is_here && l.woven > 1;
            continue;
        }
        innermost = k;
        if (!is_here) continue;
        around++;
        position = k;
    }
    along.is_partitioned = around == 1 && position == innermost && !holds_others(nest, stage.stage);
    return along;
}

// How many iterations in a row have the same index, from a multiple of this on; 0: no one number.
int64_t run_along(const LoadGroup &load, size_t d, size_t loop) {
    return whole_run(load.exact_coefficient[d][loop], load.runs[d][loop]);
}

class FirstPoints {
public:
    // numbers: a multiple that is known as one alone does not count.
    explicit FirstPoints(const LoopNest &nest, bool numbers = false)
        : nest_(nest), graph_(nest.graph()), numbers_(numbers) {}

    bool are_multiples(const Stage &stage, size_t loop, size_t count, int64_t period) {
        if (period == 1) return true;
        const StageNest &own = nest_.stage_nest(stage.id);
        if (known_multiple(own.loops, loop, count) % period != 0) return false;
        if (stage.loops[loop].is_reduction)
            return stage.loops[loop].constant_range && own.range[loop].min % period == 0;
        const FuncNest &placed = nest_.at(stage.func);
        const auto dim = static_cast<size_t>(stage.loops[loop].func_dim);
        if (!numbers_ && aligned_to(graph_, placed, dim) % period == 0) return true;
        if (placed.placement != Placement::Root)
            return placed.compute_at && !placed.is_companion &&
                   region_begins_at(stage.func, dim, period, *placed.compute_at);
        if (own.range[loop].min % period != 0) return false;
        const Func &func = graph_.func(stage.func);
        return func.constant_region[dim] ||
               (func.is_output() && stage.index == 0 &&
                (numbers_ ? shifts_inwards(graph_, own) && may_divide(own, loop)
                          : keeps_multiples(own, loop, period)));
    }

private:
    // In the case for whole parts, whose first point is asked for.
    bool keeps_multiples(const StageNest &output, size_t loop, int64_t period) const {
        return shifts_inwards(graph_, output) &&
               (loops_along(nest_, output, loop).is_partitioned ||
                (wants_whole_extent(nest_, output, loop, period) &&
                 output.range[loop].extent() % period == 0));
    }

    // Whether what an iteration of the site needs of the Func begins at a multiple.
    bool region_begins_at(FuncId f, size_t dim, int64_t period, LoopName site) {
        if (period == 1) return true;
        // Nothing is known of where a companion begins.
        if (nest_.decided(f) && nest_.at(f).is_companion) return false;
        if (!numbers_ && nest_.decided(f) && aligned_to(graph_, nest_.at(f), dim) % period == 0)
            return true;
        const auto [known, is_new] = known_.try_emplace({f, dim, period, site}, false);
        if (is_new) known->second = all_readers_begin_at(f, dim, period, site);
        return known->second;
    }

    bool all_readers_begin_at(FuncId f, size_t dim, int64_t period, LoopName site) {
        return std::ranges::all_of(graph_.func(f).outgoing, [&](EdgeId e) {
            const Edge &edge = graph_.edge(e);
            return edge.is_self || reader_begins_at(edge, dim, period, site);
        });
    }

    // The first of the reader's accesses that differ by constants alone decides.
    bool reader_begins_at(const Edge &edge, size_t dim, int64_t period, LoopName site) {
        const Stage &reader = graph_.stage(edge.consumer);
        if (edge.accesses.empty() || !nest_.decided(reader.func)) return false;
        const IndexMap &first = edge.accesses[0].index[dim];
        int64_t offset = 0;
        for (size_t a = 0; a < edge.accesses.size(); a++) {
            const IndexMap &index = edge.accesses[a].index[dim];
            if (!index.affine || index.data_dependent || index.clamp != Clamp::None ||
                index.offset.denominator != 1 || index.coefficient != first.coefficient)
                return false;
            offset = a == 0 ? index.offset.numerator : std::min(offset, index.offset.numerator);
        }
        if (offset % period != 0) return false;
        for (size_t l = 0; l < first.coefficient.size(); l++) {
            const Rational c = first.coefficient[l];
            if (c.is_zero()) continue;
            // c * place is a multiple of the period where the place is one of this.
            const int64_t whole = period * c.denominator;
            if (!loop_begins_at(reader, l, whole / std::gcd(std::abs(c.numerator), whole), site))
                return false;
        }
        return true;
    }

    bool loop_begins_at(const Stage &reader, size_t loop, int64_t period, LoopName site) {
        const FuncNest &placed = nest_.at(reader.func);
        if (reader.id == site.stage)
            return are_multiples(reader, loop, static_cast<size_t>(nest_.position(site)) + 1,
                                 period);
        // Wherever the reader is, it walks all of a reduction.
        const StageLoop &of = reader.loops[loop];
        if (of.is_reduction) return of.constant_range && of.range.min % period == 0;
        const bool is_inlined = placed.placement == Placement::Inline;
        if (!is_inlined && placed.compute_at != std::optional(site)) return false;
        return region_begins_at(reader.func, static_cast<size_t>(of.func_dim), period, site);
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const bool numbers_;
    std::map<std::tuple<FuncId, size_t, int64_t, LoopName>, bool> known_;
};

}  // namespace

int64_t known_multiple(const LoopLevels &loops, size_t loop, size_t count) {
    int64_t multiple = 0;
    for (size_t k = 0; k < count; k++) {
        const LoopLevel &l = loops[k];
        if (static_cast<size_t>(l.name.dim) == loop && !is_copied(l))
            multiple = std::gcd(multiple, l.span);
    }
    return multiple;
}

bool wants_whole_extent(const LoopNest &nest, const StageNest &output, size_t loop,
                        int64_t period) {
    const LoopsAlong along = loops_along(nest, output, loop);
    return along.copies > 1 && !along.is_partitioned &&
           (!along.has_vector || along.is_woven || 2 * period >= along.copies);
}

bool begins_at_multiples(const LoopNest &nest, StageId stage, size_t loop, size_t count,
                         int64_t period) {
    if (is_on_gpu(nest.stage_nest(stage))) return false;
    return FirstPoints(nest).are_multiples(nest.graph().stage(stage), loop, count, period);
}

bool begins_at_numbers(const LoopNest &nest, StageId stage, size_t loop, size_t count,
                       int64_t period) {
    if (is_on_gpu(nest.stage_nest(stage))) return false;
    return FirstPoints(nest, true).are_multiples(nest.graph().stage(stage), loop, count, period);
}

bool lanes_share_index(const LoopNest &nest, StageId stage, const LoadGroup &load, size_t d,
                       int vector_dim, int lanes, bool joined) {
    if (lanes == 1 || vector_dim < 0 || load.gather || d >= load.runs.size()) return false;
    const auto v = static_cast<size_t>(vector_dim);
    const int64_t run = run_along(load, d, v);
    if (run == 0 || run % lanes != 0) return false;
    // What else is rounded with it, or a constant in it, may end a run within a vector. Whole steps of what is added
    // afterwards do not: r in 32 * (x / 32) + r.
    for (size_t l = 0; l < load.runs[d].size(); l++)
        if (l != v && !load.exact_coefficient[d][l].is_zero() && run_along(load, d, l) != 1)
            return false;
    for (const std::vector<Rational> &offset : load.offsets)
        if (offset[d].denominator != 1) return false;
    const size_t all = nest.stage_nest(stage).loops.size();
    return joined ? begins_at_numbers(nest, stage, v, all, lanes)
                  : begins_at_multiples(nest, stage, v, all, lanes);
}

bool lanes_may_wrap(const LoopNest &nest, StageId stage, const LoadGroup &load, int vector_dim,
                    int lanes, int lane_step) {
    if (lanes == 1 || vector_dim < 0) return false;
    const auto v = static_cast<size_t>(vector_dim);
    const size_t all = nest.stage_nest(stage).loops.size();
    const auto may_wrap = [&](const WrappedIndex &part) {
        if (part.coefficient[v] == 0) return false;
        if (lane_step > 1)
            return part.coefficient[v] * lane_step % part.modulus != 0 ||
                   !begins_at_multiples(nest, stage, v, all, lane_step);
        // So many indices belong to a vector.
        const int64_t reach = lanes * std::abs(part.coefficient[v]);
        if (part.modulus % reach != 0 || part.offset % reach != 0) return true;
        for (size_t l = 0; l < part.coefficient.size(); l++)
            if (l != v && part.coefficient[l] % reach != 0) return true;
        return !begins_at_multiples(nest, stage, v, all, lanes);
    };
    return std::ranges::any_of(load.wrapped, [&](const std::vector<WrappedIndex> &parts) {
        return std::ranges::any_of(parts, may_wrap);
    });
}

}  // namespace cryolite
