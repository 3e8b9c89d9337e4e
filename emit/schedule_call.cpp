#include "emit/schedule_call.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "code/kernel/channels.h"
#include "code/kernel/pooled_storage.h"
#include "code/kernel/uncut_loops.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/tile_kernels.h"
#include "code/regions/storage_bounds.h"
#include "code/stage/hand_clamps.h"
#include "code/stage/partitioned_loops.h"
#include "code/stage/split_tails.h"
#include "code/stage/woven_vectors.h"
#include "emit/companion_calls.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

using Method = ScheduleCall::Method;

class Walk {
public:
    explicit Walk(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    std::vector<ScheduleCall> all() {
        for (LoopName loop : loops_not_to_partition(nest_)) not_partitioned_.insert(loop);
        for (LoopName loop : uncut_kernel_loops(nest_)) uncut_in_kernel_.insert(loop);
        for (FuncId f : pooled_storage(nest_)) pooled_.insert(f);
        for (const Func &func : graph_.funcs()) {
            if (func.is_input() || !nest_.decided(func.id)) continue;
            const FuncNest &placed = nest_.at(func.id);
            if (placed.compute_at) sites_.insert(*placed.compute_at);
            if (placed.store_at) sites_.insert(*placed.store_at);
        }
        for (const Func &func : graph_.funcs()) {
            if (func.is_input() || !nest_.decided(func.id)) continue;
            const FuncNest &placed = nest_.at(func.id);
            if (is_left_alone(func, placed)) name_user_loops(placed);
            if (is_left_alone(func, placed) || placed.placement == Placement::Inline) continue;
            // schedule_product() places what tile kernels compute. Sums that are stored have an ordinary first stage.
            if (is_in_tile_kernel(nest_, func.stages.front())) continue;
            place(func, placed);
            if (func.is_extern) continue;
            // A loop is found by its name alone: the new names differ in all stages of a Func.
            used_.clear();
            used_.insert(func.dims.begin(), func.dims.end());
            for (StageId s : func.stages) {
                for (const StageLoop &loop : graph_.stage(s).loops) used_.insert(loop.name);
            }
            const size_t before = calls_.size();
            if (placed.is_companion)
                join(placed);
            else
                for (const StageNest &stage : placed.stages)
                    if (!stage.tile_kernel) shape(func, stage);
            leave_others(func, before);
        }
        return std::move(calls_);
    }

private:
    ScheduleCall &add(Method method, StageId stage, std::vector<LoopVariable> variables) {
        ScheduleCall call;
        call.method = method;
        call.stage = stage;
        call.variables = std::move(variables);
        calls_.push_back(std::move(call));
        return calls_.back();
    }

    void place(const Func &func, const FuncNest &placed) {
        const StageId pure = func.stages[0];
        place_at(func, placed);
        for (size_t d = 0; d < func.dims.size(); d++)
            if (const int64_t multiple = aligned_to(graph_, placed, d); multiple > 1)
                add(Method::AlignBounds, pure, {{func.dims[d]}}).factor = multiple;
    }

    void place_at(const Func &func, const FuncNest &placed) {
        const StageId pure = func.stages[0];
        if (placed.placement == Placement::Root || placed.is_companion) {
            if (!func.is_output()) add(Method::ComputeRoot, pure, {});
            if (pooled_.contains(func.id)) add(Method::StoreInPool, pure, {});
            return;
        }
        add(Method::ComputeAt, pure, {variable(*placed.compute_at)}).site =
            placed.compute_at->stage;
        if (!placed.storage_order.empty()) {
            ScheduleCall &call = add(Method::ReorderStorage, pure, {});
            for (int d : placed.storage_order)
                call.variables.push_back({func.dims[static_cast<size_t>(d)]});
        }
        if (placed.store_at == placed.compute_at) {
            SideBounds bounds = rounded_storage_bounds(nest_, func.id);
            const int64_t whole = storage_alignment(nest_, func.id);
            if (whole > 1 && bounds[0] > 0) bounds[0] = (bounds[0] + whole - 1) / whole * whole;
            for (size_t d = 0; d < bounds.size(); d++)
                if (bounds[d] > 0)
                    add(Method::BoundStorage, pure, {{func.dims[d]}}).factor = bounds[d];
            if (whole > 1 && bounds[0] == 0)
                add(Method::AlignStorage, pure, {{func.dims[0]}}).factor = whole;
            return;
        }
        if (placed.store_at) {
            add(Method::StoreAt, pure, {variable(*placed.store_at)}).site = placed.store_at->stage;
        } else {
            add(Method::StoreRoot, pure, {});
        }
    }

    void name_user_loops(const FuncNest &placed) {
        for (const StageNest &nest : placed.stages) {
            const Stage &stage = graph_.stage(nest.stage);
            for (size_t i = 0; i < stage.user_loops.size(); i++) {
                const UserLoop &loop = stage.user_loops[i];
                const bool is_reduction = stage.loops[static_cast<size_t>(loop.dim)].is_reduction;
                variables_[nest.loops[i].name] = {loop.name, is_reduction};
            }
        }
    }

    // Where some stage of a Func is scheduled, Halide warns of updates that are not, unless told.
    void leave_others(const Func &func, size_t first_call) {
        std::set<StageId> touched;
        for (size_t i = first_call; i < calls_.size(); i++) touched.insert(calls_[i].stage);
        if (touched.empty()) return;
        for (StageId s : func.stages) {
            if (graph_.stage(s).index > 0 && touched.count(s) == 0 &&
                !nest_.stage_nest(s).tile_kernel)
                add(Method::Unscheduled, s, {});
        }
    }

    // Decided before: the readers come first.
    const LoopVariable &variable(LoopName loop) const { return variables_.at(loop); }

    void shape(const Func &func, const StageNest &nest) {
        const Stage &stage = graph_.stage(nest.stage);
        for (const StageLoop &loop : stage.loops) used_.insert(loop.name);
        for (const std::string &dim : func.dims) used_.insert(dim);
        const auto cases = specialized_cases(nest_, stage.id);
        for (const std::vector<WholePart> &parts : cases) {
            // Where every part fits, the last one is shifted inwards: no guard is left inside, and
            // all that is computed in a part has constant extents. The loops of all cases have the
            // same names, so that producers find their place in each.
            const size_t first = calls_.size();
            add(Method::Specialize, stage.id, {}).whole_parts = parts;
            const std::set<std::string> used = used_;
            arrange(stage, nest, Case::Shifted, parts);
            keep_whole(nest);
            used_ = used;
            for (size_t i = first; i < calls_.size(); i++) calls_[i].specialized = true;
        }
        // The general case is for small sizes: it need not be compiled into many variants and copies, if the estimates
        // are not such sizes.
        const bool is_small = !cases.empty() && shifts_inwards(graph_, nest) && !is_on_gpu(nest);
        arrange(stage, nest, is_small ? Case::Small : Case::Only);
        if (!cases.empty())
            add(Method::NeverPartition, stage.id, {});
        else
            keep_whole(nest);
        rename_sites(func, nest);
    }

    // A companion's loops: those that it shares have the leader's names.
    void join(const FuncNest &placed) {
        const StageNest &own = placed.stages[0];
        const StageId leader = placed.compute_at->stage;
        std::vector<ScheduleCall> calls =
            companion_calls(nest_, placed, names_[leader], used_, variables_);
        std::ranges::move(calls, std::back_inserter(calls_));
        keep_whole(own);
        add(Method::ComputeWith, own.stage, {variable(*placed.compute_at)}).site = leader;
    }

    bool is_output(const Stage &stage) const { return graph_.func(stage.func).is_output(); }

    // Shifted: for sizes in which every part fits; Small: for all others; Only: for all.
    enum class Case { Only, Shifted, Small };

    void arrange(const Stage &stage, const StageNest &nest, Case which,
                 std::span<const WholePart> parts = {}) {
        std::vector<LoopName> order;
        woven_.reset();
        for (size_t d = stage.loops.size(); d-- > 0;) {
            const std::vector<const LoopLevel *> levels = levels_of(nest, d);
            name_levels(stage.loops[d], levels);
            for (const LoopLevel *level : levels) order.push_back(level->name);
            // An output's general case has vectors of neighbours.
            if (levels.back()->woven > 1 && (which == Case::Shifted || !is_output(stage)))
                woven_ = LoopVariable{fresh(stage.loops[d].name + "_w")};
            if (which == Case::Shifted && splits_vector_first(nest, d, levels))
                split_shifted_vector_first(stage, stage.loops[d], levels,
                                           last_part(stage, d, parts));
            else if (which == Case::Shifted)
                split_shifted(stage, stage.loops[d], levels, last_part(stage, d, parts));
            else
                split(nest, d, levels);
        }
        reorder(nest, order);
        const auto runs_in_order = [&](const LoopLevel &loop) {
            return loop.kind != LoopKind::Serial && loop.kind != LoopKind::Unrolled &&
                   stage.loops[static_cast<size_t>(loop.name.dim)].race_free_in_order;
        };
        if (std::ranges::any_of(nest.loops, runs_in_order))
            add(Method::AllowRaceConditions, stage.id, {});
        for (const LoopLevel &loop : nest.loops) {
            if (loop.is_joined && stage.loops[static_cast<size_t>(loop.name.dim)].is_reduction)
                add(Method::Atomic, stage.id, {});
            if (loop.kind == LoopKind::Vectorized || loop.is_joined)
                add(Method::Vectorize, stage.id, {variable(loop.name)});
            if (woven_ && loop.woven > 1) add(Method::Unroll, stage.id, {*woven_});
            if (loop.kind == LoopKind::Unrolled && !loop.is_joined && which != Case::Small)
                add(Method::Unroll, stage.id, {variable(loop.name)});
        }
        parallel(nest);
        map_to_gpu(nest);
    }

    void keep_whole(const StageNest &nest) {
        if (is_on_gpu(nest)) return keep_whole_in_kernel(nest);
        // Of loops that are fused the last has the name of them all.
        for (size_t i = std::max<size_t>(count_parallel(nest), 1) - 1; i < nest.loops.size(); i++)
            if (not_partitioned_.count(nest.loops[i].name) > 0)
                add(Method::NeverPartition, nest.stage, {variable(nest.loops[i].name)});
        // Of a part that is cut off Halide may know where it starts.
        for (const LoopLevel &loop : nest.loops)
            if (const auto parts = odd_parts_.find(loop.name); parts != odd_parts_.end())
                add(Method::NeverPartition, nest.stage, {parts->second});
    }

    void keep_whole_in_kernel(const StageNest &nest) {
        const auto may_be_cut = [&](const LoopLevel &loop) {
            return loop.kind != LoopKind::Unrolled && uncut_in_kernel_.count(loop.name) == 0;
        };
        if (nest.loops.empty() || uncut_in_kernel_.empty()) return;
        if (std::ranges::none_of(nest.loops, may_be_cut)) {
            add(Method::NeverPartition, nest.stage, {});
            return;
        }
        for (const LoopLevel &loop : nest.loops)
            if (uncut_in_kernel_.count(loop.name) > 0)
                add(Method::NeverPartition, nest.stage, {variable(loop.name)});
    }

    // The loops of a dimension, outermost first.
    static std::vector<const LoopLevel *> levels_of(const StageNest &nest, size_t d) {
        std::vector<const LoopLevel *> levels;
        for (const LoopLevel &loop : nest.loops) {
            if (static_cast<size_t>(loop.name.dim) == d) levels.push_back(&loop);
        }
        return levels;
    }

    // Halide finds the loop of a compute_at by the names of the Func and of the loop; the stage does
    // not count. A site whose name another stage has, too, gets its own.
    void rename_sites(const Func &func, const StageNest &nest) {
        for (const LoopLevel &loop : nest.loops) {
            if (sites_.count(loop.name) == 0) continue;
            const LoopVariable old = variable(loop.name);
            bool shared = false;
            for (StageId s : func.stages) {
                if (s == nest.stage) continue;
                for (const StageLoop &other : graph_.stage(s).loops)
                    shared |= other.name == old.name;
            }
            if (!shared) continue;
            const std::string wanted =
                old.name + "_s" + std::to_string(graph_.stage(nest.stage).index);
            const LoopVariable renamed{fresh(wanted), old.is_reduction};
            add(Method::Rename, nest.stage, {old, renamed});
            variables_[loop.name] = renamed;
        }
    }

    std::string fresh(const std::string &wanted) { return fresh_name(wanted, used_); }

    void name_levels(const StageLoop &dimension, const std::vector<const LoopLevel *> &levels) {
        for (size_t level = 0; level < levels.size(); level++) {
            // As traces and explanations name it, which write y.1. A loop that is not split keeps its name.
            std::string name = dimension.name;
            if (levels.size() > 1) name = fresh(name + "_" + std::to_string(level));
            variables_[levels[level]->name] = {name, dimension.is_reduction};
        }
    }

    // Splits one dimension into its levels. The innermost is split off first: Halide 21 forgets the
    // guard of a split whose inner part is split again.
    void split(const StageNest &nest, size_t d, const std::vector<const LoopLevel *> &levels) {
        const Stage &stage = graph_.stage(nest.stage);
        const StageLoop &dimension = stage.loops[d];
        const bool holds = holds_others(nest_, nest.stage);
        const int64_t rounding = rounding_span(graph_, nest, d, holds);
        const bool shifts = shifts_vectors(graph_, nest, d, holds);
        LoopVariable rest{dimension.name, dimension.is_reduction};
        if (dimension.in_predicate && levels.size() > 1) rest = under_another_name(stage, rest);
        if (dimension.taken_for_aligned && has_vector(levels)) rest = odd_part(nest, levels, rest);
        const bool is_woven = woven_ && levels.back()->woven > 1;
        if (is_woven) {
            const LoopVariable lanes{fresh(dimension.name + "_t")};
            ScheduleCall &call = add(Method::Split, stage.id, {rest, lanes, *woven_});
            call.factor = levels.back()->woven;
            if (levels.back()->extent <= rounding) call.tail = ScheduleCall::Tail::RoundUp;
            rest = lanes;
        }
        for (size_t level = levels.size() - 1; level > 0; level--) {
            const LoopVariable outer =
                level == 1 ? variable(levels[0]->name)
                           : LoopVariable{fresh(dimension.name + "_t"), dimension.is_reduction};
            ScheduleCall &call =
                add(Method::Split, stage.id, {rest, outer, variable(levels[level]->name)});
            call.factor = levels[level - 1]->span / levels[level]->span;
            if (is_woven && levels[level] == levels.back()) call.factor /= levels[level]->woven;
            if (levels[level - 1]->span <= rounding) call.tail = ScheduleCall::Tail::RoundUp;
            if (shifts && levels[level] == levels.back())
                call.tail = ScheduleCall::Tail::ShiftInwards;
            names_[stage.id].outer_parts[levels[level]->name] = outer;
            rest = outer;
        }
    }

    // Halide clamps what it splits under a guard only in what is computed, not in the update's predicate. What
    // the predicate lets pass would then reach past the end, and more of an input be needed (seen with 21).
    // A variable that has been renamed stands for the clamped one in both.
    LoopVariable under_another_name(const Stage &stage, const LoopVariable &loop) {
        const LoopVariable renamed{fresh(loop.name + "_p"), loop.is_reduction};
        add(Method::Rename, stage.id, {loop, renamed});
        return renamed;
    }

    static bool has_vector(const std::vector<const LoopLevel *> &levels) {
        return std::ranges::any_of(
            levels, [](const LoopLevel *l) { return l->kind == LoopKind::Vectorized; });
    }

    // Splits an output's dimension into parts of an odd length that is known at run time only, so that Halide
    // knows no vector of a part to be aligned: one part, or those of a parallel loop over the dimension.
    LoopVariable odd_part(const StageNest &nest, const std::vector<const LoopLevel *> &levels,
                          const LoopVariable &whole) {
        const bool parallel = is_parallel_alone(nest, *levels[0]);
        const LoopVariable parts{fresh(whole.name + "_h"), false};
        const LoopVariable part{fresh(whole.name + "_p"), false};
        ScheduleCall &call = add(Method::Split, nest.stage, {whole, parts, part});
        call.factor = parallel ? levels[0]->extent : 1;
        const auto loop = static_cast<size_t>(levels[0]->name.dim);
        const StageLoop &dimension = graph_.stage(nest.stage).loops[loop];
        call.odd_parts_of = dimension.func_dim;
        if (dimension.hidden_by_stride_of >= 0)
            call.hidden_by_stride_of = dimension.hidden_by_stride_of;
        odd_parts_[levels[0]->name] = parts;
        return part;
    }

    static bool is_parallel_alone(const StageNest &nest, const LoopLevel &loop) {
        return loop.kind == LoopKind::Parallel && count_parallel(nest) == 1;
    }

    // What becomes of the dimension's last part in the case for these parts.
    static ScheduleCall::Tail last_part(const Stage &stage, size_t loop,
                                        std::span<const WholePart> parts) {
        const auto part =
            std::ranges::find(parts, stage.loops[loop].func_dim, &WholePart::func_dim);
        return part != parts.end() && part->divides ? ScheduleCall::Tail::RoundUp
                                                    : ScheduleCall::Tail::ShiftInwards;
    }

    // The same levels, the outermost split off first, with that tail; those inside it are exact.
    void split_shifted(const Stage &stage, const StageLoop &dimension,
                       const std::vector<const LoopLevel *> &levels, ScheduleCall::Tail last_part) {
        LoopVariable rest{dimension.name, false};
        for (size_t level = 0; level + 1 < levels.size(); level++) {
            const bool last = level + 2 == levels.size();
            const bool is_woven = woven_ && levels[level + 1]->woven > 1;
            const LoopVariable inner = last && !is_woven
                                           ? variable(levels[level + 1]->name)
                                           : LoopVariable{fresh(dimension.name + "_r"), false};
            ScheduleCall &call =
                add(Method::Split, stage.id, {rest, variable(levels[level]->name), inner});
            call.factor = levels[level]->span;
            call.tail = level == 0 ? last_part : ScheduleCall::Tail::RoundUp;
            rest = inner;
        }
        if (!woven_ || levels.back()->woven == 1) return;
        ScheduleCall &call =
            add(Method::Split, stage.id, {rest, variable(levels.back()->name), *woven_});
        call.factor = levels.back()->woven;
        call.tail = ScheduleCall::Tail::RoundUp;
    }

    // Whether the last vector must shift inwards by itself, so that Halide cuts clamps off (code/stage/hand_clamps.h).
    bool splits_vector_first(const StageNest &nest, size_t d,
                             const std::vector<const LoopLevel *> &levels) const {
        return levels.size() > 2 && levels.back()->kind == LoopKind::Vectorized &&
               levels.back()->woven == 1 && !holds_others(nest_, nest.stage) &&
               moves_hand_clamp(nest_, graph_.stage(nest.stage), d);
    }

    // The innermost level is split off first and shifted inwards. Its vectors are then split as points are above.
    void split_shifted_vector_first(const Stage &stage, const StageLoop &dimension,
                                    const std::vector<const LoopLevel *> &levels,
                                    ScheduleCall::Tail last_part) {
        const size_t last = levels.size() - 1;
        const int64_t lanes = levels[last - 1]->span;
        LoopVariable rest{fresh(dimension.name + "_v"), false};
        ScheduleCall &vectors =
            add(Method::Split, stage.id,
                {LoopVariable{dimension.name, false}, rest, variable(levels[last]->name)});
        vectors.factor = lanes;
        vectors.tail = last_part;
        for (size_t level = 0; level + 1 < last; level++) {
            const LoopVariable inner = level + 2 == last
                                           ? variable(levels[level + 1]->name)
                                           : LoopVariable{fresh(dimension.name + "_r"), false};
            ScheduleCall &call =
                add(Method::Split, stage.id, {rest, variable(levels[level]->name), inner});
            call.factor = levels[level]->span / lanes;
            call.tail = level == 0 ? last_part : ScheduleCall::Tail::RoundUp;
            rest = inner;
        }
    }

    void reorder(const StageNest &nest, const std::vector<LoopName> &order) {
        std::vector<LoopVariable> innermost_first;
        bool same = true;
        for (size_t i = nest.loops.size(); i-- > 0;) {
            same &= nest.loops[i].name == order[i];
            if (woven_ && nest.loops[i].woven > 1) innermost_first.push_back(*woven_);
            innermost_first.push_back(variable(nest.loops[i].name));
            const auto parts = odd_parts_.find(nest.loops[i].name);
            if (parts != odd_parts_.end()) innermost_first.push_back(parts->second);
        }
        // What is joined are neighbours in the vector.
        if (joined_points(nest) > 1) {
            const LoopVariable &joined = variable(nest.loops[nest.loops.size() - 2].name);
            const auto at = std::ranges::find(innermost_first, joined.name, &LoopVariable::name);
            std::rotate(innermost_first.begin(), at, at + 1);
            same = false;
        }
        if (!same) add(Method::Reorder, nest.stage, std::move(innermost_first));
    }

    void map_to_gpu(const StageNest &nest) {
        std::vector<LoopVariable> blocks, threads;
        for (size_t i = nest.loops.size(); i-- > 0;) {
            const LoopLevel &loop = nest.loops[i];
            if (loop.kind == LoopKind::GpuBlock) blocks.push_back(variable(loop.name));
            if (loop.kind == LoopKind::GpuThread) threads.push_back(variable(loop.name));
        }
        if (!blocks.empty()) add(Method::GpuBlocks, nest.stage, std::move(blocks));
        if (!threads.empty()) add(Method::GpuThreads, nest.stage, std::move(threads));
    }

    // The parallel loops, outermost first, in the order in which they are fused. Of a loop over a whole
    // dimension Halide knows the range no more once a loop is fused into it whose dimension is split
    // twice and guarded: it then asks for much more of what the stage reads, an input too (seen with 19
    // and 21). Such loops go innermost; tasks are then handed out in another order.
    std::vector<LoopName> fusion_order(const StageNest &nest) const {
        std::vector<LoopName> order;
        bool some_split_twice = false;
        const auto is_whole = [&](LoopName loop) {
            return levels_of(nest, static_cast<size_t>(loop.dim)).size() == 1;
        };
        for (size_t i = 0; i < count_parallel(nest); i++) {
            const LoopName loop = nest.loops[first_parallel(nest) + i].name;
            order.push_back(loop);
            const size_t splits = levels_of(nest, static_cast<size_t>(loop.dim)).size() - 1;
            some_split_twice |= splits + odd_parts_.count(loop) > 1;
        }
        if (some_split_twice) std::ranges::stable_partition(order, std::not_fn(is_whole));
        return order;
    }

    void parallel(const StageNest &nest) {
        StageNames &names = names_[nest.stage];
        for (const LoopLevel &l : nest.loops) names.loops[l.name] = variable(l.name);
        const size_t before = calls_.size();
        fuse(nest);
        names.fusions.assign(calls_.begin() + static_cast<std::ptrdiff_t>(before), calls_.end());
    }

    void fuse(const StageNest &nest) {
        const std::vector<LoopName> order = fusion_order(nest);
        if (order.empty()) return;
        const auto parts = odd_parts_.find(order[0]);
        if (parts != odd_parts_.end() && order.size() == 1) {
            add(Method::Parallel, nest.stage, {parts->second});
            return;
        }
        LoopVariable fused = variable(order[0]);
        for (size_t i = 1; i < order.size(); i++) {
            const LoopVariable inner = variable(order[i]);
            LoopVariable both{fresh(inner.name + "_" + fused.name),
                              inner.is_reduction || fused.is_reduction};
            add(Method::Fuse, nest.stage, {inner, fused, both});
            fused = both;
        }
        // What is computed in them is computed in the innermost, which all are now.
        variables_[nest.loops[first_parallel(nest) + order.size() - 1].name] = fused;
        add(Method::Parallel, nest.stage, {fused});
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::vector<ScheduleCall> calls_;
    std::map<LoopName, LoopVariable> variables_;
    std::map<StageId, StageNames> names_;  // for companions
    // The loop over the vectors of a woven one, in the arrangement at hand.
    std::optional<LoopVariable> woven_;
    std::map<LoopName, LoopVariable> odd_parts_;  // by the outermost loop inside, see odd_part()
    std::set<LoopName> sites_;                    // where something is computed or stored
    std::set<LoopName> not_partitioned_, uncut_in_kernel_;
    std::set<FuncId> pooled_;
    std::set<std::string> used_;  // names taken in the Func at hand
};

}  // namespace

std::vector<ScheduleCall> schedule_calls(const LoopNest &nest) { return Walk(nest).all(); }

}  // namespace cryolite
