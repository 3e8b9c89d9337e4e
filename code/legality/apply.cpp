// apply(), the one way to change a schedule, and the actions that place a Func.
#include <algorithm>

#include "code/legality/applied.h"
#include "code/legality/clamped_loops.h"
#include "code/legality/companions.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/legal_sites.h"
#include "code/legality/site_rules.h"
#include "code/legality/tile_kernels.h"
#include "code/regions/regions.h"
#include "code/regions/storage_bounds.h"
#include "code/stage/split_tails.h"

namespace cryolite {

namespace applied {

namespace {

bool is_func_to_schedule(const LoopNest &nest, FuncId f) {
    return f.valid() && f.index() < nest.graph().funcs().size() && !nest.graph().func(f).is_input();
}

// Why the placement of `f` is refused wherever it is; nullopt: it is not.
std::optional<Reason> refuse_placement(const LoopNest &nest, FuncId f, const Action &placement) {
    if (!is_func_to_schedule(nest, f)) return Reason::NotPlaced;
    if (nest.decided(f)) return Reason::AlreadyDecided;
    const StageGraph &graph = nest.graph();
    for (EdgeId e : graph.func(f).outgoing) {
        if (!nest.decided(graph.stage(graph.edge(e).consumer).func)) {
            return Reason::ConsumerUndecided;
        }
    }
    const std::optional<Action> only = placement_in_tile_kernel(nest, f);
    if (only && *only != placement) return Reason::NotATileKernel;
    return std::nullopt;
}

// Gives each stage its default loops over the box that one realisation computes.
void make_stages(const LoopNest &nest, FuncNest &placed) {
    const StageGraph &graph = nest.graph();
    const Box computed = newly_computed(placed, placed.compute_region);
    const bool in_kernel = level_of(nest, placed.compute_at) != KernelLevel::Host;
    placed.stages.clear();
    for (StageId s : graph.func(placed.func).stages) {
        const Stage &stage = graph.stage(s);
        Intervals range(stage.loops.size());
        graph.loop_ranges(stage, computed, range);
        placed.stages.push_back(default_stage_nest(stage, std::move(range)));
        placed.stages.back().in_kernel = in_kernel;
    }
}

}  // namespace

Outcome apply_one(const LoopNest &nest, const action::Inline &a) {
    if (const auto reason = refuse_placement(nest, a.func, a)) return *reason;
    const Func &func = nest.graph().func(a.func);
    if (func.locked) return Reason::LockedByUser;
    if (!func.can_inline) return Reason::NotInlinable;
    FuncNest placed;
    placed.func = a.func;
    placed.placement = Placement::Inline;
    return finish(nest, std::move(placed));
}

namespace {

// Places a locked Func where the user has put it.
Outcome apply_user_site(const LoopNest &nest, FuncId f, LoopName at) {
    FuncNest placed;
    placed.func = f;
    placed.placement = Placement::At;
    placed.compute_at = placed.store_at = at;
    placed.compute_region = placed.store_region = required_region(nest, f, at);
    placed.storage_bound.resize(placed.compute_region.size(), 0);
    make_stages(nest, placed);
    return finish(nest, std::move(placed));
}

std::optional<LoopName> user_site(const LoopNest &nest, const Func &func) {
    return func.user_site ? loop_of(nest, *func.user_site) : std::nullopt;
}

}  // namespace

Outcome apply_one(const LoopNest &nest, const action::ComputeRoot &a) {
    if (const auto reason = refuse_placement(nest, a.func, a)) return *reason;
    if (const auto site = user_site(nest, nest.graph().func(a.func)))
        return apply_user_site(nest, a.func, *site);
    FuncNest placed;
    placed.func = a.func;
    placed.compute_region = placed.store_region = nest.graph().func(a.func).root_region;
    make_stages(nest, placed);
    Outcome next = finish(nest, std::move(placed));
    if (brings_empty_buffer(*next, a.func)) return Reason::EmptyOnDevice;
    return next;
}

namespace {

// Why `at` is not among the legal sites.
Reason refuse_site(const LoopNest &nest, const Func &func, LoopName at) {
    const int position = nest.position(at);
    if (position < 0) return Reason::NoSuchLoop;
    const Func &owner = nest.graph().func_of(at.stage);
    if (is_left_alone(owner, nest.at(owner.id)) && nest.graph().stage(at.stage).user_loops.empty())
        return Reason::LockedByUser;
    if (func.enclosed) return Reason::EnclosedByUser;
    const StageNest &loops = nest.stage_nest(at.stage);
    if (static_cast<size_t>(position) + 1 < count_parallel(loops)) return Reason::NoSuchLoop;
    for (int i = 0; i <= position; i++) {
        const LoopKind kind = loops.loops[static_cast<size_t>(i)].kind;
        if (kind == LoopKind::Vectorized || kind == LoopKind::Unrolled) {
            return Reason::InsideVectorOrUnroll;
        }
    }
    if (!takes_producers(loops, static_cast<size_t>(position))) return Reason::BetweenMapped;
    for (EdgeId e : func.outgoing)
        if (loses_predicate(func, nest.graph().edge(e))) return Reason::PredicateLost;
    return Reason::OutsideConsumers;
}

}  // namespace

Outcome apply_one(const LoopNest &nest, const action::ComputeAt &a) {
    if (const auto reason = refuse_placement(nest, a.func, a)) return *reason;
    const Func &func = nest.graph().func(a.func);
    if (func.locked) {
        if (user_site(nest, func) != a.at) return Reason::LockedByUser;
        return apply_user_site(nest, a.func, a.at);
    }
    if (func.root_only) return Reason::RootOnly;
    const std::vector<LoopName> sites = legal_sites(nest, a.func);
    if (std::find(sites.begin(), sites.end(), a.at) == sites.end())
        return refuse_site(nest, func, a.at);
    // A tile kernel keeps the product in registers of its own.
    const bool in_kernel =
        level_of(nest, a.at) != KernelLevel::Host && !is_in_tile_kernel(nest, a.at.stage);
    if (in_kernel) {
        if (stays_on_host(nest.graph(), a.func)) return Reason::EmptyOnDevice;
        if (!has_bounded_storage(nest, a.func, a.at)) return Reason::UnboundedInKernel;
    }
    if (is_deep_in_guarded_fusion(nest, func, a.at)) return Reason::GuardLostInFusion;
    if (is_between_guards(nest, func, a.at)) return Reason::GuardLostInSplit;
    if (overreaches_clamped_loop(nest, func, a.at)) return Reason::OverreachesClampedLoop;
    if (overreaches_shared_loop(nest, func, a.at)) return Reason::OverreachesSharedLoop;
    FuncNest placed;
    placed.func = a.func;
    placed.placement = Placement::At;
    placed.compute_at = placed.store_at = a.at;
    placed.compute_region = placed.store_region = required_region(nest, a.func, a.at);
    placed.storage_bound = storage_bounds(nest, a.func, a.at);
    if (in_kernel && level_of(nest, a.at) == KernelLevel::Thread &&
        !is_bounded_at_all_sizes(placed))
        return Reason::UnboundedInKernel;
    make_stages(nest, placed);
    Outcome next = finish(nest, std::move(placed));
    if (brings_empty_buffer(*next, a.func)) return Reason::EmptyOnDevice;
    if (in_kernel && has_unpadded_scalars(*next, a.at)) return Reason::UnpaddedInKernel;
    if (in_kernel && is_overwritten_in_loop(*next, a.func)) return Reason::OverwrittenInKernel;
    if (is_beside_window(*next, a.func)) return Reason::BesideWindow;
    for (FuncId f : next->computed_in(nest.graph().stage(a.at.stage).func)) {
        const FuncNest &window = next->at(f);
        if (window.slide_dim >= 0 && nest.graph().reads(a.func, f) &&
            !nest.graph().func(f).may_overcompute[static_cast<size_t>(window.slide_dim)] &&
            is_filled_through_another(*next, f))
            return Reason::WindowOvershoots;
    }
    return next;
}

Outcome apply_one(const LoopNest &nest, const action::ComputeWith &a) {
    if (const auto reason = refuse_placement(nest, a.func, a)) return *reason;
    if (nest.position(a.with) < 0) return Reason::NoSuchLoop;
    if (!may_accompany(nest, a.func, a.with)) return Reason::NoCompanion;
    FuncNest placed;
    placed.func = a.func;
    placed.placement = Placement::At;
    placed.compute_at = a.with;
    placed.is_companion = true;
    placed.leader_dims = shared_dims(nest.graph(), a.func, nest.graph().stage(a.with.stage).func);
    // Which part of it belongs to an iteration is known once it is placed.
    const LoopNest in_company = nest.with(finished(nest.graph(), placed));
    placed.compute_region = required_region(in_company, a.func, a.with);
    placed.store_region = nest.graph().func(a.func).root_region;
    placed.storage_bound.resize(placed.compute_region.size(), 0);
    make_stages(nest, placed);
    placed.stages.front().has_company = true;
    return finish(nest, std::move(placed));
}

namespace {

// Why the loops between `store_at` and `compute_at`, the latter included, allow no sliding window; nullopt: they do.
std::optional<Reason> refuse_between(const LoopNest &nest,
                                     const std::vector<LoopName> &around_compute,
                                     std::optional<LoopName> store_at) {
    int between = 0;
    for (auto loop = around_compute.rbegin(); loop != around_compute.rend(); ++loop) {
        if (store_at && *loop == *store_at) break;
        const StageNest &stage = nest.stage_nest(loop->stage);
        if (stage.loops[static_cast<size_t>(nest.position(*loop))].kind == LoopKind::Parallel) {
            return Reason::ParallelBetween;
        }
        // Its filling would start the loop earlier for the others that share it.
        if (stage.has_company) return Reason::BesideWindow;
        // The begin and the end of a user's loop are not known well enough for a window.
        if (nest.graph().func_of(loop->stage).locked) return Reason::LockedByUser;
        between++;
    }
    // With several loops between, Halide chooses one to slide along. If two of them are levels of a guarded split, it
    // starts before the input's first point (seen with 19 and 21).
    if (between > 1) return Reason::LoopsBetween;
    return std::nullopt;
}

// Whether all iterations of the loop are of one size if the image is large. A part that is shifted inwards or guarded
// has a minimum in its bounds. Halide then gives up sliding and computes whole windows. Seen on a chain of 31 stencils,
// which took 17 times as long.
bool is_even(const LoopNest &nest, LoopName loop) {
    const Stage &stage = nest.graph().stage(loop.stage);
    const Func &func = nest.graph().func(stage.func);
    const StageLoop &dimension = stage.loops[static_cast<size_t>(loop.dim)];
    const StageNest &loops = nest.stage_nest(loop.stage);
    const auto same_dim = [&](const LoopLevel &l) { return l.name.dim == loop.dim; };
    if (std::count_if(loops.loops.begin(), loops.loops.end(), same_dim) == 1) return true;
    if (func.is_output() && !dimension.is_reduction)
        return func.stages.size() == 1 && loop.level > 0;
    return may_round_up(func, dimension);
}

}  // namespace

Outcome apply_one(const LoopNest &nest, const action::StoreAt &a) {
    if (!is_func_to_schedule(nest, a.func) || !nest.decided(a.func)) return Reason::NotPlaced;
    const Func &func = nest.graph().func(a.func);
    if (func.locked) return Reason::LockedByUser;
    FuncNest placed = nest.at(a.func);
    if (placed.placement != Placement::At || placed.is_companion) return Reason::NotPlaced;
    if (is_in_tile_kernel(nest, placed.compute_at->stage)) return Reason::NotATileKernel;
    if (placed.store_at != placed.compute_at) return Reason::AlreadyDecided;
    // The window changes how much a realisation computes, and so every loop's extent.
    for (const StageNest &stage : placed.stages) {
        if (holds_others(nest, stage.stage) ||
            !is_default(nest.graph().stage(stage.stage), stage)) {
            return Reason::LoopsInUse;
        }
    }
    if (a.at == placed.compute_at) return nest;
    if (!placed.storage_order.empty()) return Reason::StorageKept;
    if (level_of(nest, placed.compute_at) != KernelLevel::Host) return Reason::InsideKernel;
    const std::vector<LoopName> around = nest.enclosing(*placed.compute_at);
    if (a.at) {
        const int position = nest.position(*a.at);
        if (position < 0) return Reason::NoSuchLoop;
        if (std::find(around.begin(), around.end(), *a.at) == around.end()) {
            return Reason::StoreInsideCompute;
        }
        if (static_cast<size_t>(position) + 1 < count_parallel(nest.stage_nest(a.at->stage))) {
            return Reason::NoSuchLoop;
        }
    }
    if (const auto reason = refuse_between(nest, around, a.at)) return *reason;
    placed.store_at = a.at;
    placed.store_region = required_region(nest, a.func, a.at);
    const Slide slide = find_slide(nest, a.func, *placed.compute_at);
    // Without a window, storing outside gains nothing, and Halide would try to fold the storage.
    if (slide.dim < 0) return Reason::NoWindow;
    if (!is_even(nest, *placed.compute_at)) return Reason::WindowOnUnevenLoop;
    if (feeds_conditional_window(nest, a.func, *placed.compute_at))
        return Reason::FeedsConditionalWindow;
    // Halide fills a window by starting the loop whole iterations earlier. If the window is no whole number of steps,
    // the loop computes more than is needed and reads more of an input.
    const int64_t window = placed.compute_region[static_cast<size_t>(slide.dim)].extent();
    const bool is_exact = !func.may_overcompute[static_cast<size_t>(slide.dim)];
    if (is_exact && window % slide.step != 0) return Reason::WindowOvershoots;
    placed.slide_dim = slide.dim;
    placed.slide_step = slide.step;
    placed.slide_grows = slide.grows;
    placed.slide_is_clamped = is_slide_clamped(nest, a.func, slide.dim, *placed.compute_at);
    make_stages(nest, placed);
    Outcome next = finish(nest, std::move(placed));
    if (!has_loop_for_itself(*next, a.func)) return Reason::BesideWindow;
    if (is_exact && is_filled_through_another(*next, a.func)) return Reason::WindowOvershoots;
    return next;
}

Outcome apply_one(const LoopNest &nest, const action::ReorderStorage &a) {
    if (!is_func_to_schedule(nest, a.func) || !nest.decided(a.func)) return Reason::NotPlaced;
    const Func &func = nest.graph().func(a.func);
    if (func.locked) return Reason::LockedByUser;
    FuncNest placed = nest.at(a.func);
    if (!can_reorder_storage(nest, placed)) return Reason::StorageKept;
    if (!std::is_permutation(a.order.begin(), a.order.end(), func.storage_order.begin(),
                             func.storage_order.end()))
        return Reason::NotAPermutation;
    placed.storage_order = a.order;
    if (a.order == func.storage_order) placed.storage_order.clear();
    return finish(nest, std::move(placed));
}

}  // namespace applied

std::optional<Reason> apply_in_place(LoopNest &nest, const Action &action) {
    return std::visit(
        [&](const auto &a) -> std::optional<Reason> {
            auto made = applied::apply_one(nest, a);
            if (!made.ok()) return made.error();
            if constexpr (std::is_same_v<decltype(made), applied::Changed>)
                nest.set(std::move(*made));
            else
                nest = std::move(*made);
            return std::nullopt;
        },
        action);
}

Result<LoopNest, Reason> apply(const LoopNest &nest, const Action &action) {
    LoopNest changed = nest;
    if (const auto reason = apply_in_place(changed, action)) return *reason;
    return changed;
}

bool try_apply(LoopNest &nest, const Action &action) { return !apply_in_place(nest, action); }

Result<LoopNest, ReplayFailure> replay(const StageGraph &graph, std::span<const Action> trace) {
    LoopNest nest(graph);
    for (size_t i = 0; i < trace.size(); i++) {
        if (const auto reason = apply_in_place(nest, trace[i])) return ReplayFailure{i, *reason};
    }
    return nest;
}

}  // namespace cryolite
