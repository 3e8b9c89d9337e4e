// Sliding windows: Halide keeps the points of the iteration before and computes only new points.
#include <algorithm>
#include <map>
#include <set>

#include "code/regions/regions.h"

namespace cryolite {

namespace {

// Whether `h` is computed in one iteration of `loop`.
bool runs_inside(const LoopNest &nest, FuncId h, LoopName loop) {
    const int position = nest.position(loop);
    const FuncNest *inner = &nest.at(h);
    while (inner->compute_at) {
        const LoopName site = *inner->compute_at;
        if (site.stage == loop.stage) return nest.position(site) >= position;
        inner = &nest.at(nest.graph().stage(site.stage).func);
    }
    return false;
}

// Whether the reader is computed in `loop`, or inlined, or a stage of `owner`. owner: the Func that has the loop.
bool reads_inside(const LoopNest &nest, const Stage &reader, FuncId owner, LoopName loop) {
    if (reader.func == owner) return true;
    return nest.at(reader.func).placement == Placement::Inline ||
           runs_inside(nest, reader.func, loop);
}

// Looks for an index of some kind between one dimension of a Func and the loops that walk it, reader by reader.
// is_meant(edge, dim, index): of an edge to the Func whose dimension dim the index walks.
template <typename IsMeant>
class IndexSearch {
public:
    // below_windows: whether it ends at readers that are windows of the loop.
    IndexSearch(const LoopNest &nest, LoopName loop, IsMeant is_meant, bool below_windows = false)
        : nest_(nest),
          owner_(nest.graph().stage(loop.stage).func),
          loop_(loop),
          is_meant_(is_meant),
          below_windows_(below_windows) {}

    bool found(FuncId f, size_t dim) {
        if (!asked_.insert({f, dim}).second) return false;
        for (EdgeId id : nest_.graph().func(f).outgoing) {
            const Edge &edge = nest_.graph().edge(id);
            const Stage &reader = nest_.graph().stage(edge.consumer);
            if (!reads_inside(nest_, reader, owner_, loop_)) continue;
            for (const Access &access : edge.accesses)
                if (dim < access.index.size() &&
                    (is_meant_(edge, dim, access.index[dim]) || found(reader, access.index[dim])))
                    return true;
        }
        return false;
    }

private:
    bool found(const Stage &reader, const IndexMap &index) {
        if (reader.func == owner_) return false;
        const FuncNest &placed = nest_.at(reader.func);
        if (below_windows_ && placed.slide_dim >= 0 && placed.compute_at == loop_) return false;
        for (size_t l = 0; l < reader.loops.size(); l++) {
            const bool moves = l < index.depends_on.size() && index.depends_on[l];
            if (moves && reader.loops[l].func_dim >= 0 &&
                found(reader.func, static_cast<size_t>(reader.loops[l].func_dim)))
                return true;
        }
        return false;
    }

    const LoopNest &nest_;
    const FuncId owner_;
    const LoopName loop_;
    const IsMeant is_meant_;
    const bool below_windows_;
    std::set<std::pair<FuncId, size_t>> asked_;
};

// Whether reads of one dimension of a Func move with a loop.
class MotionSearch {
public:
    struct Reads {
        bool move = false, stay = false;  // some reads move; some stay
    };

    // unknown_stay: whether reads at unknown places count as reads that stay.
    MotionSearch(const LoopNest &nest, LoopName loop, bool unknown_stay)
        : nest_(nest),
          owner_(nest.graph().stage(loop.stage).func),
          loop_(loop),
          unknown_stay_(unknown_stay) {}

    Reads of(FuncId f, size_t dim) {
        const auto [known, fresh] = known_.try_emplace({f, dim});
        if (!fresh) return known->second;
        Reads all;
        for (EdgeId id : nest_.graph().func(f).outgoing) {
            const Edge &edge = nest_.graph().edge(id);
            const Stage &reader = nest_.graph().stage(edge.consumer);
            if (reader.func == owner_ && reader.id != loop_.stage) continue;
            if (!reads_inside(nest_, reader, owner_, loop_)) continue;
            all.stay |= unknown_stay_ && edge.accesses.empty();
            for (const Access &access : edge.accesses) {
                if (dim >= access.index.size()) continue;
                const Reads one = of(reader, access.index[dim]);
                all.move |= one.move;
                all.stay |= one.stay;
            }
        }
        return known_[{f, dim}] = all;
    }

private:
    // An index moves if one of its loops moves.
    Reads of(const Stage &reader, const IndexMap &index) {
        Reads all{false, true};
        for (size_t l = 0; l < reader.loops.size(); l++) {
            if (l >= index.depends_on.size() || !index.depends_on[l]) continue;
            Reads one{false, true};
            if (reader.func == owner_)
                one = {l == static_cast<size_t>(loop_.dim), l != static_cast<size_t>(loop_.dim)};
            else if (reader.loops[l].func_dim >= 0)
                one = of(reader.func, static_cast<size_t>(reader.loops[l].func_dim));
            all.move |= one.move;
            all.stay &= one.stay;
        }
        return all;
    }

    const LoopNest &nest_;
    const FuncId owner_;
    const LoopName loop_;
    const bool unknown_stay_;
    std::map<std::pair<FuncId, size_t>, Reads> known_;
};

// Whether Halide 21 fills a window along `loop` correctly. A loop of a pure stage starts earlier to fill it. A loop of
// an update, pure or not, cannot start earlier, since it would update twice:
// - If all reads move with the loop, Halide fills the window in the first iteration.
// - If some reads stay, as with f(y) and f(y + r), Halide computes only the new points of each iteration and misses the
//   rest.
// If a predicate skips an iteration, its new points are never computed, and the next iteration takes them for done.
bool is_filled(const LoopNest &nest, FuncId f, size_t dim, LoopName loop) {
    if (nest.graph().stage(loop.stage).loops[static_cast<size_t>(loop.dim)].in_predicate)
        return false;
    return nest.graph().stage(loop.stage).index == 0 ||
           !MotionSearch(nest, loop, true).of(f, dim).stay;
}

// The last point along `dim` that an iteration needs, some points of the loop's dimension after mid-range.
int64_t last_point_after(const LoopNest &nest, FuncId f, size_t dim, LoopName loop,
                         int64_t points) {
    const StageNest &around = nest.stage_nest(loop.stage);
    Intervals ranges = around.range;
    narrow_to_iteration(around, nest.position(loop), ranges);
    Interval &moved = ranges[static_cast<size_t>(loop.dim)];
    moved = {moved.min + points, moved.max + points};
    return IterationRegions(nest, loop, ranges).of(f)[dim].max;
}

// Whether Halide 21 never computes the first points of a window, as with f(max(y - 1, 0)) and f(y). To fill a window,
// Halide looks for an earlier iteration whose last point lies before the window, and starts the loop behind it.
// - If a clamp from below holds the last point of all earlier iterations, there is none. Halide takes a wrong one.
// - If a clamp from above holds the last read too, as in f(min(y + 1, h - 1)), Halide does not look for the iteration.
//   A condition in the first iteration fills the window then.
bool misses_first_points(const LoopNest &nest, FuncId f, size_t dim, LoopName loop) {
    if (!is_slide_clamped(nest, f, static_cast<int>(dim), loop)) return false;
    // Beyond every border of an image. Quotients by small divisors move evenly, and 32 bits hold small multiples.
    constexpr int64_t far = int64_t{15} << 20;
    const auto last = [&](int64_t points) { return last_point_after(nest, f, dim, loop, points); };
    const bool held_below = last(-far) == last(-2 * far);
    return held_below && last(far) - last(0) == last(2 * far) - last(far);
}

// Whether `visit` returns true for any Func that is computed in one iteration of `loop`, directly or deeper inside.
template <typename Visit>
bool any_inside(const LoopNest &nest, LoopName loop, Visit visit) {
    const StageGraph &graph = nest.graph();
    const int position = nest.position(loop);
    std::vector<FuncId> found;
    for (FuncId f : nest.computed_in(graph.stage(loop.stage).func)) {
        const LoopName site = *nest.at(f).compute_at;
        if (site.stage == loop.stage && nest.position(site) >= position) found.push_back(f);
    }
    for (size_t i = 0; i < found.size(); i++) {
        if (visit(found[i])) return true;
        const auto inner = nest.computed_in(found[i]);
        found.insert(found.end(), inner.begin(), inner.end());
    }
    return false;
}

// Whether `h`, computed in the loop of the window of `slid`, neither reads the window nor only feeds it.
bool is_something_else(const StageGraph &graph, FuncId h, FuncId slid) {
    return h != slid && !graph.reads(h, slid) && !graph.only_feeds(h, slid);
}

// Whether the region may jump back near a border, as behind a mirror. Halide cannot prove then that the region only
// ever moves one way, and computes all of it in each iteration (seen with 21).
bool grows_at_ends(const LoopNest &nest, FuncId f, size_t dim, LoopName compute_at) {
    if (!nest.graph().regions_grow_at_ends()) return false;
    const auto grows = [](const Edge &edge, size_t d, const IndexMap &) {
        return static_cast<bool>(edge.grows_at_ends[d]);
    };
    return IndexSearch(nest, compute_at, grows).found(f, dim);
}

// Rows of one loop of a stage in an iteration of `loop` and in the next one.
struct RowsOfIterations {
    Interval now, next;
};

// Whether the last read of one iteration is at (X + s) / q, where X is the iteration's first row, and s and the step
// from X to X are multiples of q. Halide takes s / q out of the quotient then.
bool ends_at_a_whole_quotient(const LoopNest &nest, LoopName loop, const Edge &edge, size_t dim,
                              const IndexMap &index) {
    const Stage &reader = nest.graph().stage(edge.consumer);
    std::optional<size_t> moves;
    for (size_t l = 0; l < index.coefficient.size(); l++) {
        if (index.coefficient[l].is_zero()) continue;
        if (moves || index.coefficient[l].numerator != 1) return false;
        moves = l;
    }
    if (!moves) return false;
    bool is_last = true;
    for (const Access &other : edge.accesses) {
        if (dim >= other.index.size() || other.index[dim].coefficient != index.coefficient)
            return false;
        is_last &= other.index[dim].offset.value() <= index.offset.value();
    }
    if (!is_last) return true;  // another one tells

    const StageNest &around = nest.stage_nest(loop.stage);
    const int position = nest.position(loop);
    Intervals ranges = around.range;
    const int64_t iteration = (narrow_to_iteration(around, position, ranges) - 1) / 2;
    const auto rows_of = [&](const Stage &stage, size_t l) -> RowsOfIterations {
        if (stage.id != loop.stage) {
            const auto d = static_cast<size_t>(stage.loops[l].func_dim);
            return {region_of_iteration(nest, stage.func, loop, iteration)[d],
                    region_of_iteration(nest, stage.func, loop, iteration + 1)[d]};
        }
        Intervals next = around.range;
        narrow_to_iteration(around, position, next, iteration + 1);
        return {ranges[l], next[l]};
    };
    if (reader.loops[*moves].func_dim < 0) return false;
    const RowsOfIterations of_loop =
        rows_of(nest.graph().stage(loop.stage), static_cast<size_t>(loop.dim));
    const RowsOfIterations read = rows_of(reader, *moves);
    const int64_t step = of_loop.next.min - of_loop.now.min;
    const int64_t q = index.coefficient[*moves].denominator;
    const Rational s =
        index.offset * make_rational(q, 1) + make_rational(read.now.max - of_loop.now.min, 1);
    return read.next.max - read.now.max == step && step % q == 0 && s.denominator == 1 &&
           s.numerator % q == 0;
}

}  // namespace

Slide find_slide(const LoopNest &nest, FuncId f, LoopName compute_at) {
    const StageNest &around = nest.stage_nest(compute_at.stage);
    Intervals ranges = around.range;
    const int64_t count = narrow_to_iteration(around, nest.position(compute_at), ranges);
    // Compares regions two iterations apart, if there are so many. Then a region that moves at every other iteration
    // (upsampling) is seen to move. The iterations lie away from the first and the last.
    const int64_t from = count >= 4 ? count / 2 - 1 : 0;
    const int64_t to = std::min(from + 2, count - 1);
    if (to <= from) return {};
    const Box before = region_of_iteration(nest, f, compute_at, from);
    const Box after = region_of_iteration(nest, f, compute_at, to);
    Slide slide;
    for (size_t d = 0; d < before.size(); d++) {
        if (before[d] == after[d]) continue;
        // Halide slides along one dimension. A region that grows or turns back is recomputed.
        if (slide.dim >= 0 || after[d].max <= before[d].max || after[d].min < before[d].min) {
            return {};
        }
        slide.dim = static_cast<int>(d);
    }
    if (slide.dim < 0) return {};
    const auto d = static_cast<size_t>(slide.dim);
    slide.step = (after[d].max - before[d].max + (to - from) - 1) / (to - from);
    if (slide.step >= std::min(before[d].extent(), after[d].extent())) return {};
    // Every stage must walk the dimension point by point for the old points to stay right.
    for (StageId s : nest.graph().func(f).stages) {
        bool pure = false;
        for (const StageLoop &loop : nest.graph().stage(s).loops) {
            pure |= loop.func_dim == slide.dim && !loop.is_reduction;
        }
        if (!pure) return {};
    }
    if (!is_filled(nest, f, d, compute_at)) return {};
    if (misses_first_points(nest, f, d, compute_at)) return {};
    if (grows_at_ends(nest, f, d, compute_at)) return {};
    slide.grows = MotionSearch(nest, compute_at, false).of(f, d).stay;
    return slide;
}

bool is_slide_clamped(const LoopNest &nest, FuncId f, int dim, LoopName compute_at) {
    const auto clamps = [](const Edge &, size_t, const IndexMap &index) {
        return index.clamp != Clamp::None;
    };
    return IndexSearch(nest, compute_at, clamps).found(f, static_cast<size_t>(dim));
}

bool is_slide_divided(const LoopNest &nest, FuncId f, int dim, LoopName compute_at) {
    const auto divides = [&](const Edge &edge, size_t d, const IndexMap &index) {
        const auto is_divided = [](const Rational &c) { return c.denominator != 1; };
        return std::ranges::any_of(index.coefficient, is_divided) &&
               !ends_at_a_whole_quotient(nest, compute_at, edge, d, index);
    };
    // What feeds a divided window is no window itself, so that none of those around f is divided.
    return IndexSearch(nest, compute_at, divides, true).found(f, static_cast<size_t>(dim));
}

bool feeds_conditional_window(const LoopNest &nest, FuncId f, LoopName compute_at) {
    const StageGraph &graph = nest.graph();
    return std::ranges::any_of(nest.computed_in(graph.stage(compute_at.stage).func), [&](FuncId h) {
        const FuncNest &placed = nest.at(h);
        return placed.slide_dim >= 0 && placed.compute_at == compute_at && graph.reads(h, f) &&
               (placed.slide_is_clamped || is_slide_divided(nest, h, placed.slide_dim, compute_at));
    });
}

bool is_filled_through_another(const LoopNest &nest, FuncId slid) {
    const StageGraph &graph = nest.graph();
    const LoopName loop = *nest.at(slid).compute_at;
    const auto in_loop = nest.computed_in(graph.stage(loop.stage).func);
    const auto stands_here = [&](FuncId f, bool in_window) {
        const FuncNest &placed = nest.at(f);
        return placed.compute_at == loop && (placed.slide_dim >= 0) == in_window;
    };
    return std::ranges::any_of(in_loop, [&](FuncId between) {
        return stands_here(between, false) && graph.reads(between, slid) &&
               std::ranges::any_of(in_loop, [&](FuncId window) {
                   return stands_here(window, true) && graph.reads(window, between);
               });
    });
}

bool has_loop_for_itself(const LoopNest &nest, FuncId slid) {
    const LoopName loop = *nest.at(slid).compute_at;
    if (loop.level > 0) return true;
    return !any_inside(nest, loop,
                       [&](FuncId h) { return is_something_else(nest.graph(), h, slid); });
}

bool is_beside_window(const LoopNest &nest, FuncId f) {
    const StageGraph &graph = nest.graph();
    std::optional<LoopName> site = nest.at(f).compute_at;
    while (site) {
        const FuncId owner = graph.stage(site->stage).func;
        const int position = nest.position(*site);
        for (FuncId w : nest.computed_in(owner)) {
            const FuncNest &window = nest.at(w);
            const LoopName loop = *window.compute_at;
            if (window.slide_dim >= 0 && loop.stage == site->stage && loop.level == 0 &&
                nest.position(loop) <= position && is_something_else(graph, f, w))
                return true;
        }
        site = nest.at(owner).compute_at;
    }
    return false;
}

}  // namespace cryolite
