#include "search/space/tiling_template.h"
#include "code/kernel/channels.h"
#include "code/legality/apply.h"
#include "schedule/func_nest.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

namespace cryolite {
namespace {

constexpr int64_t short_extent = 16;
// Unrolling a reduction whole may multiply its operations by this factor. More copies gain nothing, and the cost
// model refuses schedules with too much code.
constexpr double most_code_growth = 32;

using Spans =
    SmallVector<int64_t, 3>;  // of one dimension's loops but the last, from outer to inner

struct Splits {
    std::vector<Spans> spans;            // per stage loop
    SmallVector<int, 8> unrolled_level;  // per stage loop; -1: none
    int vector_loop = -1;
};

// The spans of a pure dimension whose innermost split covers `inner` points.
Spans pure_spans(int64_t extent, int64_t tile, int64_t inner) {
    Spans spans;
    if (tile > 0 && tile <= extent && inner > 0) tile = std::max(inner, tile / inner * inner);
    if (tile > 0 && tile < extent) spans.push_back(tile);
    if (inner > 1 && inner <= extent && (spans.empty() || inner < spans.back()))
        spans.push_back(inner);
    return spans;
}

int levels_of(const Spans &spans) { return static_cast<int>(spans.size()) + 1; }

// Which reduction loops are unrolled whole.
struct UnrolledReductions {
    std::vector<bool> loops;  // per stage loop
    bool in_order = false;    // they stand among the loops that stay loops; else innermost
    bool are_taps = false;    // of one row of a window; other reduction loops stay loops
};

// Operations of all copies, divided by those of one body.
double code_growth(const Stage &stage, const std::vector<bool> &unrolled) {
    double copies = 1, kept = 0, all = 0;
    for (size_t l = 0; l < unrolled.size(); l++)
        if (unrolled[l]) copies *= static_cast<double>(stage.loops[l].range.extent());
    for (const OperationGroup &group : stage.operation_groups) {
        double operations = 0;
        for (const OperationCount &o : group.operations) operations += o.count;
        all += operations;
        for (size_t l = 0; l < group.kept_share.size(); l++)
            if (unrolled[l]) operations *= group.kept_share[l];
        kept += operations;
    }
    return all > 0 ? copies * kept / all : copies;
}

// A convolution's window over all channels is too much code. The taps in one row are not: their loop has a few
// iterations, so that its own instructions take as long as a part of the sums.
UnrolledReductions unrolled_taps(const Stage &stage, const TilingTemplate &shape) {
    UnrolledReductions plan{std::vector<bool>(stage.loops.size(), false), false, true};
    const auto s = static_cast<size_t>(stage.index);
    if (s >= shape.row_taps.size() || shape.row_taps[s] < 0) return plan;
    const auto taps = static_cast<size_t>(shape.row_taps[s]);
    plan.loops[taps] = true;
    if (code_growth(stage, plan.loops) > most_code_growth) plan.loops[taps] = false;
    return plan;
}

UnrolledReductions unrolled_reductions(const Stage &stage, const TilingTemplate &shape) {
    const TilingTemplate::Unrolled which = shape.unrolled_reductions;
    const size_t n = stage.loops.size();
    UnrolledReductions plan{std::vector<bool>(n, false),
                            which == TilingTemplate::Unrolled::Deciding};
    if (which == TilingTemplate::Unrolled::None) return plan;
    bool is_possible = true;
    for (size_t l = 0; l < n; l++) {
        const StageLoop &loop = stage.loops[l];
        const bool all = which == TilingTemplate::Unrolled::All && loop.is_reduction;
        if (!all && !decides_copies(stage, l)) continue;
        plan.loops[l] = true;
        is_possible = is_possible && loop.constant_range;
        // The predicate stands around the loops inside: the copies stay where the loop is.
        plan.in_order = plan.in_order || loop.in_predicate;
    }
    if (is_possible && code_growth(stage, plan.loops) <= most_code_growth) return plan;
    if (which == TilingTemplate::Unrolled::All) return unrolled_taps(stage, shape);
    plan.loops.assign(n, false);
    return plan;
}

// Whether a loop of so many iterations takes the template's vector.
bool holds_vector(const TilingTemplate &shape, int64_t extent) {
    return shape.width <= extent || (shape.rounds_up && shape.width < 2 * extent);
}

// The dimension of the Func that the loop walks. Of reduction loops, those that may be the vector loop walk one.
int dim_along(const StageLoop &loop) {
    if (!loop.is_reduction) return loop.func_dim;
    return loop.vectorizable ? loop.walked_dim : -1;
}

// The reduction loop that takes the template's vector: an update has no pure loop along a dimension that its
// reduction walks. -1: none.
int vector_reduction(const Stage &stage, const Intervals &range, const TilingTemplate &shape) {
    if (shape.width <= 1 || shape.vector_dim < 0 || shape.woven > 1) return -1;
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const StageLoop &loop = stage.loops[l];
        if (dim_along(loop) != shape.vector_dim) continue;
        return loop.is_reduction && shape.width <= range[l].extent() ? static_cast<int>(l) : -1;
    }
    return -1;
}

// The loop of the stage of which the template wants a part; -1: the stage takes none.
int part_loop(const Stage &stage, const Intervals &range, const TilingTemplate &shape) {
    const TilingTemplate::Part &part = shape.part;
    if (part.points == 1 || part.stage != stage.index || shape.woven > 1 || shape.joined_dim >= 0 ||
        (part.is_dot && shape.parallel > 0))
        return -1;
    const int vector_dim = vector_dim_of(stage, shape);
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (stage.loops[l].func_dim == vector_dim && stage.loops[l].vectorizable &&
            !stage.loops[l].in_predicate && shape.width > 1 &&
            holds_vector(shape, range[l].extent()))
            return part.loop;
    return -1;
}

// The loop of the stage whose iterations are joined in the vectors; -1: none.
int joined_loop(const Stage &stage, const Intervals &range, const TilingTemplate &shape) {
    if (shape.joined_dim < 0) return -1;
    int joined = -1;
    bool has_vectors = false;
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const StageLoop &loop = stage.loops[l];
        if (loop.func_dim < 0 || !loop.vectorizable || loop.in_predicate) continue;
        if (loop.func_dim == shape.joined_dim && range[l].extent() > 1)
            joined = static_cast<int>(l);
        has_vectors |= loop.func_dim == shape.vector_dim && holds_vector(shape, range[l].extent());
    }
    return has_vectors ? joined : -1;
}

// The loop of the stage's scan, of which some steps are unrolled; -1: none.
int unrolled_scan(const Stage &stage, const Intervals &range, const TilingTemplate &shape) {
    const auto s = static_cast<size_t>(stage.index);
    if (shape.steps == 1 || s >= shape.step_loops.size() || shape.step_loops[s] < 0) return -1;
    const int loop = shape.step_loops[s];
    return range[static_cast<size_t>(loop)].extent() > shape.steps ? loop : -1;
}

// The points of a reduction loop without a race that one task walks: as many as of a pure loop along that dimension.
// 0: the loop is not cut into tasks.
int64_t task_points(const StageLoop &loop, int64_t extent, const TilingTemplate &shape) {
    if (shape.parallel == 0 || loop.walked_dim < 0 || loop.in_predicate) return 0;
    const int64_t points = shape.tile[static_cast<size_t>(loop.walked_dim)];
    return points < extent ? points : 0;
}

// Of a loop whose last part stands beside the vector.
Spans part_spans(int64_t extent, const TilingTemplate &shape) {
    Spans spans;
    const int64_t points = shape.part.points;
    if (extent == points) return spans;
    if (shape.reduction_tile > points && shape.reduction_tile < extent)
        spans.push_back(shape.reduction_tile / points * points);
    spans.push_back(points);
    return spans;
}

// Which of the loops, outermost first, run in parallel. stays_loop: whether a loop is neither unrolled nor a vector.
template <typename StaysLoop>
std::optional<action::Parallel> parallel_loops(const Stage &stage, const TilingTemplate &shape,
                                               const std::vector<LoopName> &order,
                                               StaysLoop stays_loop) {
    action::Parallel parallel{stage.id, 0};
    LoopLevels loops(order.size());
    for (size_t i = 0; i < order.size(); i++) loops[i].name = order[i];
    size_t first = 0;
    const auto is_step = [&](size_t i) {
        return stage.loops[static_cast<size_t>(order[i].dim)].is_reduction &&
               !may_run_in_parallel(stage, loops, i);
    };
    if (shape.parallel_in_steps)
        while (first < order.size() && stays_loop(order[first]) && is_step(first)) first++;
    bool fuses_predicate = false;
    for (size_t i = first; i < order.size() && parallel.count < shape.parallel; i++) {
        const StageLoop &loop = stage.loops[static_cast<size_t>(order[i].dim)];
        if (!stays_loop(order[i]) || !may_run_in_parallel(stage, loops, i)) break;
        fuses_predicate |= loop.in_predicate;
        // apply() refuses to fuse it. Loops over whole reductions are long enough alone.
        if (i > first && (fuses_predicate || loop.is_reduction || first > 0)) break;
        parallel.count++;
    }
    if (parallel.count == 0) return std::nullopt;
    parallel.inside = static_cast<int32_t>(first);
    return parallel;
}

}  // namespace

int vector_dim_of(const Stage &stage, const TilingTemplate &shape) {
    const auto is_along = [&](const StageLoop &l) { return dim_along(l) == shape.vector_dim; };
    if (!shape.updates_across || stage.index == 0 || shape.vector_dim < 0 ||
        std::ranges::any_of(stage.loops, is_along))
        return shape.vector_dim;
    for (const StageLoop &l : stage.loops)
        if (l.func_dim >= 0 && l.vectorizable) return l.func_dim;
    return shape.vector_dim;
}

bool decides_copies(const Stage &stage, size_t l) {
    const StageLoop &loop = stage.loops[l];
    return loop.is_reduction && loop.constant_range &&
           std::ranges::any_of(stage.operation_groups, [&](const OperationGroup &group) {
               return !group.kept_share.empty() && group.kept_share[l] < 1;
           });
}

std::vector<Action> to_actions(const Stage &stage, const Intervals &range,
                               const TilingTemplate &shape,
                               const std::vector<bool> &whole_of_tile) {
    const size_t n = stage.loops.size();
    Splits splits{std::vector<Spans>(n), SmallVector<int, 8>(n, -1), -1};
    std::vector<Action> actions;
    UnrolledReductions unrolled_whole = unrolled_reductions(stage, shape);
    bool reduction_tiled = false;
    const int part = part_loop(stage, range, shape);
    const int joined = joined_loop(stage, range, shape);
    const int scan = unrolled_scan(stage, range, shape);
    const int vector_dim = vector_dim_of(stage, shape);
    const int along = vector_reduction(stage, range, shape);
    // Steps that vectors go through in order stay loops, since their copies would stand inside.
    if (along >= 0) unrolled_whole = {std::vector<bool>(n, false)};

    for (size_t l = 0; l < n; l++) {
        const StageLoop &loop = stage.loops[l];
        const int64_t extent = range[l].extent();
        const int16_t dim = static_cast<int16_t>(l);
        if (static_cast<int>(l) == part) {
            splits.spans[l] = part_spans(extent, shape);
            reduction_tiled = reduction_tiled || splits.spans[l].size() > 1;
        } else if (static_cast<int>(l) == along) {
            splits.vector_loop = along;
            const int64_t points =
                shape.width *
                std::max<int64_t>(1, shape.unroll[static_cast<size_t>(loop.walked_dim)]);
            // apply() does not tile what is in a predicate.
            const bool unrolled = points > shape.width && points <= extent && !loop.in_predicate;
            const int64_t least = unrolled ? points : shape.width;
            const int64_t task = task_points(loop, extent, shape) / least * least;
            if (task > least) splits.spans[l].push_back(task);
            if (unrolled) {
                splits.unrolled_level[l] = levels_of(splits.spans[l]);
                splits.spans[l].push_back(points);
            }
        } else if (static_cast<int>(l) == scan) {
            splits.spans[l] = {shape.steps};
        } else if (unrolled_whole.loops[l]) {
            if (extent > 1) splits.unrolled_level[l] = 0;
            continue;
        } else if (loop.in_predicate) {  // apply() does not tile it
            if (loop.func_dim >= 0 && loop.func_dim == vector_dim && shape.width > 1 &&
                loop.vectorizable && shape.width <= extent) {
                splits.vector_loop = static_cast<int>(l);
                continue;
            }
            const bool wanted =
                loop.func_dim >= 0 && shape.unroll[static_cast<size_t>(loop.func_dim)] > 1;
            if (wanted && extent > 1 && extent <= short_extent && !whole_of_tile.empty() &&
                whole_of_tile[l])
                splits.unrolled_level[l] = 0;
            continue;
        } else if (const int64_t points = task_points(loop, extent, shape);
                   loop.is_reduction && points > 0) {
            splits.spans[l] = {points};
        } else if (loop.is_reduction) {
            if (!reduction_tiled && shape.reduction_tile > 0 && shape.reduction_tile < extent &&
                loop.reorderable) {
                splits.spans[l] = {shape.reduction_tile};
                reduction_tiled = true;
            }
        } else {
            const size_t d = static_cast<size_t>(loop.func_dim);
            if (static_cast<int>(l) == joined) {
                splits.spans[l] = {extent};
                actions.push_back(action::Tile{stage.id, dim, {extent}});
                continue;
            }
            if (shape.unrolled_channels && loop.func_dim != vector_dim &&
                walks_all_channels(stage, range, l)) {
                splits.spans[l] = {loop.channels};
                splits.unrolled_level[l] = 1;
                actions.push_back(action::Tile{stage.id, dim, {loop.channels}});
                continue;
            }
            const bool vector = loop.func_dim == vector_dim && shape.width > 1 &&
                                loop.vectorizable && holds_vector(shape, extent);
            const int64_t points =
                std::max<int64_t>(1, shape.unroll[d]) * (vector ? shape.width : 1);
            const int64_t inner = points <= extent ? points : vector ? shape.width : 1;
            splits.spans[l] =
                pure_spans(extent, shape.tile[d], vector && inner == shape.width ? 1 : inner);
            if (vector) {
                splits.vector_loop = static_cast<int>(l);
                // A tile is a whole number of vectors.
                for (int64_t &s : splits.spans[l])
                    s = std::max<int64_t>(shape.width, s / shape.width * shape.width);
                if (!splits.spans[l].empty() && splits.spans[l].front() > extent)
                    splits.spans[l].clear();
            }
            const int64_t factor = inner / (vector ? shape.width : 1);
            if (factor > 1 && !splits.spans[l].empty() && splits.spans[l].back() == inner)
                splits.unrolled_level[l] = levels_of(splits.spans[l]) - 1;
        }
        if (!splits.spans[l].empty())
            actions.push_back(
                action::Tile{stage.id, dim, {splits.spans[l].begin(), splits.spans[l].end()}});
    }

    // The number of levels per loop, after vectorisation. Vectorize splits the innermost level of the vector
    // dimension once more, unless that level has the width of a vector already.
    SmallVector<int, 8> levels(n);
    for (size_t l = 0; l < n; l++) levels[l] = levels_of(splits.spans[l]);
    LoopName vector_name;
    if (splits.vector_loop >= 0) {
        const size_t v = static_cast<size_t>(splits.vector_loop);
        const bool is_masked = stage.loops[v].in_predicate;
        actions.push_back(action::Vectorize{stage.id, static_cast<int16_t>(v), shape.width,
                                            is_masked ? 1 : shape.woven});
        const bool whole = !splits.spans[v].empty() && splits.spans[v].back() == shape.width;
        vector_name = {stage.id, static_cast<int16_t>(v),
                       static_cast<int16_t>(whole ? levels[v] - 1 : levels[v])};
        if (!whole) levels[v]++;
    }

    // The loop order, outermost first, in groups.
    using Group = SmallVector<LoopName, 8>;
    Group shorts_outside, tiles, reductions, shorts_between, inner, shorts_inside, unrolled;
    std::optional<LoopName> part_name, scan_name;
    for (size_t i = n; i-- > 0;) {
        const StageLoop &loop = stage.loops[i];
        const bool is_vector = static_cast<int>(i) == splits.vector_loop;
        const bool is_short = !loop.is_reduction && !is_vector && splits.spans[i].empty() &&
                              range[i].extent() <= short_extent;
        for (int level = 0; level < levels[i]; level++) {
            const LoopName name{stage.id, static_cast<int16_t>(i), static_cast<int16_t>(level)};
            if (splits.vector_loop >= 0 && name == vector_name) continue;
            if ((static_cast<int>(i) == part || static_cast<int>(i) == joined) &&
                level + 1 == levels[i])
                part_name = name;
            else if (static_cast<int>(i) == scan)
                (level == 0 ? reductions.push_back(name) : void(scan_name = name));
            else if (splits.unrolled_level[i] == level &&
                     !(loop.is_reduction && unrolled_whole.in_order))
                unrolled.push_back(name);
            else if (loop.is_reduction)
                (level == 0 && levels[i] > 1 && !is_vector && loop.reorderable ? tiles : reductions)
                    .push_back(name);
            else if (is_short)
                (shape.short_loops == TilingTemplate::Short::Outside        ? shorts_outside
                 : shape.short_loops == TilingTemplate::Short::BetweenTiles ? shorts_between
                                                                            : shorts_inside)
                    .push_back(name);
            else if (level == 0 && shape.tile[static_cast<size_t>(loop.func_dim)] > 0 &&
                     levels[i] > 1 && !(is_vector && splits.spans[i].empty()))
                tiles.push_back(name);
            else
                inner.push_back(name);
        }
    }
    // Tiled reduction loops stand inside the pure tiles.
    std::ranges::stable_partition(
        tiles, [&](LoopName t) { return !stage.loops[static_cast<size_t>(t.dim)].is_reduction; });
    // An operand of the copies of a sum stays in a register from its first use to the last. Operands that differ inside
    // are kept together while the copies outside share them, and those that differ outside one by one, so that few
    // copies belong inside.
    if (std::ranges::any_of(stage.loops, &StageLoop::is_reduction))
        std::ranges::stable_sort(unrolled, std::greater{}, [&](LoopName u) {
            const auto l = static_cast<size_t>(u.dim);
            // All sums use the operands of a tap, so that its copies stand around theirs.
            if (stage.loops[l].is_reduction)
                return unrolled_whole.are_taps ? std::numeric_limits<int64_t>::max() : 0;
            if (splits.spans[l].empty()) return range[l].extent();
            const bool is_vector = static_cast<int>(l) == splits.vector_loop;
            return splits.spans[l].back() / (is_vector ? shape.width : 1);
        });
    if (shape.colour_dim >= 0)
        std::ranges::stable_partition(unrolled, [&](LoopName u) {
            return stage.loops[static_cast<size_t>(u.dim)].func_dim != shape.colour_dim;
        });
    if (shape.vector_tiles_outside)
        std::ranges::stable_partition(tiles,
                                      [&](LoopName t) { return t.dim == splits.vector_loop; });
    std::vector<LoopName> order;
    order.reserve(static_cast<size_t>(std::accumulate(levels.begin(), levels.end(), 0)));
    auto append = [&](const Group &group) {
        order.insert(order.end(), group.begin(), group.end());
    };
    append(shorts_outside);
    append(tiles);
    append(shorts_between);
    if (shape.reduction_outside) append(reductions);
    append(inner);
    append(shorts_inside);
    if (!shape.reduction_outside) append(reductions);
    append(unrolled);
    if (scan_name) order.push_back(*scan_name);
    if (part_name) order.push_back(*part_name);
    if (splits.vector_loop >= 0) order.push_back(vector_name);
    if (order.size() > 1) actions.push_back(action::Reorder{stage.id, order});
    for (LoopName r : reductions)
        if (splits.unrolled_level[static_cast<size_t>(r.dim)] == r.level)
            actions.push_back(action::Unroll{r});
    for (LoopName u : unrolled) actions.push_back(action::Unroll{u});
    if (scan_name) actions.push_back(action::Unroll{*scan_name});
    if (part_name)
        actions.push_back(joined >= 0 || shape.part.is_dot ? Action(action::Join{*part_name})
                                                           : action::Unroll{*part_name});

    const auto stays_loop = [&](LoopName name) {
        return std::ranges::find(unrolled, name) == unrolled.end() && name != part_name &&
               name != scan_name && !(splits.vector_loop >= 0 && name == vector_name) &&
               splits.unrolled_level[static_cast<size_t>(name.dim)] != name.level;
    };
    if (const auto parallel = parallel_loops(stage, shape, order, stays_loop))
        actions.push_back(*parallel);
    return actions;
}

}  // namespace cryolite
