// Checks a nest from the outside: nothing here relies on the checks of apply().
#include "code/legality/validate.h"

#include <algorithm>
#include <string>

#include "code/legality/companions.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/legal_sites.h"
#include "code/legality/site_rules.h"
#include "code/legality/tile_kernels.h"
#include "code/regions/regions.h"
#include "code/stage/whole_loops.h"
#include "code/stage/woven_vectors.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

std::string check_loops(const LoopNest &all, const Stage &stage, const StageNest &nest) {
    if (nest.stage != stage.id) return "a stage nest under the wrong stage";
    if (nest.range.size() != stage.loops.size()) return "not one range per loop of the stage";
    std::vector<int64_t> covered(stage.loops.size(), -1);  // span of the level before
    std::vector<int16_t> levels(stage.loops.size(), 0);
    for (size_t i = 0; i < nest.loops.size(); i++) {
        const LoopLevel &loop = nest.loops[i];
        if (loop.name.stage != stage.id || loop.name.dim < 0 ||
            static_cast<size_t>(loop.name.dim) >= stage.loops.size()) {
            return "a loop of another stage or of no dimension";
        }
        const auto d = static_cast<size_t>(loop.name.dim);
        const StageLoop &of_stage = stage.loops[d];
        if (loop.name.level != levels[d]++) return "levels of " + of_stage.name + " out of order";
        if (loop.span < 1) return "a span of " + of_stage.name + " is not positive";
        if (loop.name.level == 0) {
            const int64_t points = nest.range[d].extent();
            if (loop.extent != (points + loop.span - 1) / loop.span) {
                return "the tiles of " + of_stage.name + " do not cover its range";
            }
        } else if (loop.extent * loop.span != covered[d]) {
            return "an inner level of " + of_stage.name + " does not divide the one around it";
        }
        covered[d] = loop.span;
        switch (loop.kind) {
            case LoopKind::Serial: break;
            case LoopKind::Parallel:
                if (i >= first_parallel(nest) + count_parallel(nest))
                    return "a serial loop between parallel ones";
                if (first_parallel(nest) > 0 && (stage.index == 0 || count_parallel(nest) > 1))
                    return "parallel loops inside another kind of loop of their stage";
                if (!may_run_in_parallel(stage, nest.loops, i) ||
                    (!of_stage.parallelizable && count_parallel(nest) > 1))
                    return of_stage.name + " may not run in parallel";
                break;
            case LoopKind::Vectorized:
                if (i + 1 != nest.loops.size()) return "a vector loop that is not innermost";
                if (!of_stage.vectorizable) return of_stage.name + " may not be the vector loop";
                if (!has_constant_extent(stage, loop)) return "a vector loop of unknown extent";
                if (loop.woven < 1 || loop.extent % loop.woven != 0)
                    return "a vector loop that is no whole number of woven vectors";
                break;
            case LoopKind::Unrolled:
                if (loop.is_joined &&
                    (i + 2 != nest.loops.size() || nest.loops.back().kind != LoopKind::Vectorized))
                    return "joined copies beside no vector";
                if (loop.is_joined && of_stage.is_reduction &&
                    (!stage.dot || count_parallel(nest) > 0))
                    return "a dot product of what is none, or inside a parallel loop";
                if (loop.is_joined && !of_stage.is_reduction && !of_stage.vectorizable)
                    return of_stage.name + " may not be part of the vector";
                if (!has_constant_extent(stage, loop) && !is_whole_of_tile(all, loop.name))
                    return "an unrolled loop of unknown extent";
                break;
            case LoopKind::GpuBlock:
            case LoopKind::GpuThread: break;  // check_mapping()
        }
    }
    for (size_t d = 0; d < stage.loops.size(); d++) {
        if (levels[d] == 0) return "no loop over " + stage.loops[d].name;
        if (covered[d] != 1)
            return "the innermost loop over " + stage.loops[d].name + " skips points";
    }
    if (!keeps_order(stage, nest.loops)) return "reduction loops out of order";
    return "";
}

// Blocks stand around threads, and threads around serial loops. There are at most three loops of blocks and three of
// threads. No other loop stands between two blocks or between two threads. A stage with a kernel has no parallel and no
// vector loops.
std::string check_mapping(const LoopNest &nest, const FuncNest &placed, const StageNest &loops) {
    const Stage &stage = nest.graph().stage(loops.stage);
    const KernelLevel around = level_of(nest, placed.compute_at);
    const int blocks_end = last_of(loops, LoopKind::GpuBlock);
    if (loops.in_kernel != (around != KernelLevel::Host))
        return "not aware of the kernel around it";
    for (const LoopKind kind : {LoopKind::GpuBlock, LoopKind::GpuThread}) {
        const int last = last_of(loops, kind);
        if (last < 0) continue;
        int count = 0;
        for (int i = 0; i <= last; i++) {
            const LoopLevel &loop = loops.loops[static_cast<size_t>(i)];
            if (loop.kind != kind) {
                if (count > 0) return "another loop between blocks or between threads";
                continue;
            }
            count++;
            const StageLoop &of_stage = stage.loops[static_cast<size_t>(loop.name.dim)];
            if (!may_run_in_parallel(stage, loops.loops, static_cast<size_t>(i)))
                return of_stage.name + " may not be blocks or threads";
            if (kind == LoopKind::GpuThread && !has_constant_extent(stage, loop)) {
                return "as many threads as depends on a size";
            }
        }
        if (count > 3) return "more than three loops of blocks or threads";
    }
    if ((blocks_end >= 0 || around != KernelLevel::Host) &&
        stays_on_host(nest.graph(), placed.func))
        return "a kernel of what has to stay on the host";
    if (brings_empty_buffer(nest, placed.func)) return "a buffer that may be empty on the device";
    if (has_guard_between_blocks(loops)) return "a guard between blocks";
    if (blocks_end >= 0 && placed.placement != Placement::Root) return "blocks, but not at root";
    if (has_kind(loops, LoopKind::GpuThread)) {
        if (around == KernelLevel::Thread) return "threads in threads";
        if (around == KernelLevel::Host && blocks_end < 0) return "threads without blocks";
        for (int i = 0; i <= blocks_end; i++) {
            const LoopKind kind = loops.loops[static_cast<size_t>(i)].kind;
            if (kind == LoopKind::GpuThread) return "threads around blocks";
        }
    }
    const bool on_gpu = around != KernelLevel::Host || blocks_end >= 0;
    const bool of_cpu =
        has_kind(loops, LoopKind::Parallel) || has_kind(loops, LoopKind::Vectorized);
    return on_gpu && of_cpu ? "parallel or vector loops with a kernel" : "";
}

// A companion's leader has to allow it as if it came now.
std::string check_companion(const LoopNest &nest, const FuncNest &placed) {
    const FuncId leader = nest.graph().stage(placed.compute_at->stage).func;
    if (!may_accompany(nest.without(placed.func), placed.func, *placed.compute_at))
        return "computed with " + nest.graph().func(leader).name + " and may not be";
    for (const StageNest &s : {nest.at(leader).stages[0], placed.stages[0]})
        if (!s.has_company) return "not aware of the Func with which it shares loops";
    if (!divides_shared_parts(nest, placed)) return "its loops do not divide what it shares";
    return placed.store_at || placed.slide_dim >= 0 ? "a companion that is not stored at root" : "";
}

std::string check_site(const LoopNest &nest, const FuncNest &placed) {
    if (placed.is_companion) return check_companion(nest, placed);
    const std::vector<LoopName> sites = legal_sites(nest, placed.func);
    if (std::find(sites.begin(), sites.end(), *placed.compute_at) == sites.end()) {
        return "computed at a loop that does not contain all of its readers or takes no producers";
    }
    if (is_deep_in_guarded_fusion(nest, nest.graph().func(placed.func), *placed.compute_at))
        return "deep inside fused loops of which one is guarded";
    if (is_between_guards(nest, nest.graph().func(placed.func), *placed.compute_at))
        return "between the guard of a split and the loops inside it, in another guarded split";
    if (overreaches_shared_loop(nest, nest.graph().func(placed.func), *placed.compute_at))
        return "in a loop that goes further than its readers where those who share it differ in "
               "size";
    std::vector<LoopName> around = nest.enclosing(*placed.compute_at);
    if (placed.store_at) {
        const auto store = std::find(around.begin(), around.end(), *placed.store_at);
        if (store == around.end())
            return "stored at a loop that is not around where it is computed";
        around.erase(around.begin(), store + 1);
    }
    if (level_of(nest, placed.compute_at) != KernelLevel::Host &&
        !is_in_tile_kernel(nest, placed.compute_at->stage)) {
        if (placed.store_at != placed.compute_at) return "a sliding window in a kernel";
        if (!has_bounded_storage(nest, placed.func, *placed.compute_at)) {
            return "storage in a kernel that grows with a size";
        }
        if (level_of(nest, placed.compute_at) == KernelLevel::Thread &&
            !is_bounded_at_all_sizes(placed))
            return "storage in a thread without a bound that is known";
        if (has_unpadded_scalars(nest, *placed.compute_at))
            return "narrow values in a kernel that do not fill whole elements";
        if (is_overwritten_in_loop(nest, placed.func))
            return "storage in a kernel that is given away in a loop before its last use";
    }
    if (placed.store_at != placed.compute_at) {
        if (around.size() != 1)
            return "several loops between where it is stored and where it is computed";
        for (LoopName loop : around) {
            const auto i = static_cast<size_t>(nest.position(loop));
            if (nest.stage_nest(loop.stage).loops[i].kind == LoopKind::Parallel) {
                return "a parallel loop between where it is stored and where it is computed";
            }
        }
    }
    return "";
}

std::string check_regions(const LoopNest &nest, const FuncNest &placed) {
    const auto required = [&](std::optional<LoopName> at) {
        return aligned_box(nest.graph(), placed, required_region(nest, placed.func, at));
    };
    if (placed.compute_region != required(placed.compute_at)) {
        return "its compute region is not what its readers need";
    }
    if (placed.store_region != required(placed.store_at)) {
        return "its store region is not what its readers need";
    }
    Slide slide;
    const bool is_stored_outside =
        placed.compute_at && placed.store_at != placed.compute_at && !placed.is_companion;
    if (is_stored_outside) {
        slide = find_slide(nest, placed.func, *placed.compute_at);
    }
    if (is_stored_outside && slide.dim < 0) {
        return "it is stored outside of where it is computed and does not slide";
    }
    if (slide.dim >= 0 && !has_loop_for_itself(nest, placed.func)) {
        return "something else is computed in the loop of its sliding window";
    }
    if (placed.slide_dim != slide.dim || placed.slide_step != slide.step ||
        placed.slide_grows != slide.grows) {
        return "its sliding window is not what follows from where it is stored";
    }
    return "";
}

std::string check_storage(const LoopNest &nest, const FuncNest &placed) {
    if (placed.address_order != address_order(nest.graph(), placed))
        return "the order of its addresses is not that of its storage";
    if (placed.storage_order.empty()) return "";
    const std::vector<int> &own = nest.graph().func(placed.func).storage_order;
    if (placed.storage_order == own) return "the order of its storage is its own and was decided";
    if (!std::is_permutation(placed.storage_order.begin(), placed.storage_order.end(), own.begin(),
                             own.end()))
        return "the order of its storage is not one of its dimensions";
    return can_reorder_storage(nest, placed)
               ? ""
               : "the order of its storage was changed and may not be";
}

std::string check_tile_kernels(const LoopNest &nest, const FuncNest &placed) {
    const StageGraph &graph = nest.graph();
    if (!obeys_tile_kernels(nest, placed.func)) return "not where a tile kernel wants it";
    for (const StageNest &loops : placed.stages) {
        if (!loops.tile_kernel) continue;
        const TensorProduct *product = graph.product_at(loops.tile_kernel->product);
        if (!product || lead_of_product(nest, *product) != loops.stage)
            return "a tile kernel without a product";
        StageNest plain = loops;
        if (plain.loops.front().kind != LoopKind::GpuBlock)
            return "a tile kernel without a loop of blocks";
        plain.loops.front().kind = LoopKind::Serial;
        if (!is_default(graph.stage(loops.stage), plain)) return "a tile kernel with other loops";
        if (placed.placement != Placement::Root) return "a tile kernel that is not at root";
        const int least = tensorcore::least_capability(product->types);
        if (const std::string problem =
                tensorcore::problem_with_tile(product->types, loops.tile_kernel->tile, least);
            !problem.empty())
            return "no tile of a kernel: " + problem;
    }
    return "";
}

std::string check_func(const LoopNest &nest, const Func &func) {
    const StageGraph &graph = nest.graph();
    const FuncNest &placed = nest.at(func.id);
    if (placed.func != func.id) return "it has another Func's nest";
    if (func.is_input()) return "a pipeline input has a nest";
    for (EdgeId e : func.outgoing) {
        const Func &reader = graph.func_of(graph.edge(e).consumer);
        if (!nest.decided(reader.id)) return "its reader " + reader.name + " is undecided";
    }
    if (placed.hash != hash_of(placed)) return "its hash is stale";
    if (placed.compute_at.has_value() != (placed.placement == Placement::At)) {
        return "its placement and its compute site disagree";
    }
    if (std::string broken = check_tile_kernels(nest, placed); !broken.empty()) return broken;
    if (placed.placement == Placement::Inline) {
        if (!placed.storage_order.empty()) return "it is inlined and has storage";
        if (!func.can_inline) return "it is inlined and may not be";
        return placed.stages.empty() ? "" : "it is inlined and has loops";
    }
    if (func.locked) {
        const std::optional<LoopName> site =
            func.user_site ? loop_of(nest, *func.user_site) : std::nullopt;
        if (placed.compute_at != site) return "it is not where the user has put it";
    } else if (func.root_only && placed.placement != Placement::Root && !placed.is_companion) {
        return "it may only be at root";
    }
    if (placed.stages.size() != func.stages.size()) return "not every stage is realised once";
    if (placed.compute_at && !func.locked) {
        const std::string broken = check_site(nest, placed);
        if (!broken.empty()) return broken;
    } else if (placed.store_at && !placed.compute_at) {
        return "it is at root and stored inside a loop";
    }
    if (const std::string broken = check_storage(nest, placed); !broken.empty()) return broken;
    const std::string broken = check_regions(nest, placed);
    if (!broken.empty()) return broken;
    const Box computed = newly_computed(placed, placed.compute_region);
    for (size_t i = 0; i < func.stages.size(); i++) {
        const Stage &stage = graph.stage(func.stages[i]);
        const bool is_ours = !func.locked;
        const std::string broken_loops =
            is_ours ? check_loops(nest, stage, placed.stages[i]) : std::string();
        if (!broken_loops.empty()) return broken_loops;
        const std::string broken_mapping =
            is_ours ? check_mapping(nest, placed, placed.stages[i]) : std::string();
        if (!broken_mapping.empty()) return broken_mapping;
        Intervals range(stage.loops.size());
        graph.loop_ranges(stage, computed, range);
        if (range != placed.stages[i].range)
            return "the ranges of its loops do not cover its region";
        if (is_ours && placed.compute_at && count_parallel(placed.stages[i]) > 1) {
            return "fused loops inside another Func's loops";
        }
        if ((is_left_alone(func, placed) || func.is_extern) &&
            !is_default(stage, placed.stages[i])) {
            return "its loops were changed and may not be";
        }
    }
    return "";
}

}  // namespace

std::string validate(const LoopNest &nest) {
    size_t decided = 0;
    LoopNest again(nest.graph());
    for (const Func &func : nest.graph().funcs()) {
        if (!nest.decided(func.id)) continue;
        decided++;
        const std::string broken = check_func(nest, func);
        if (!broken.empty()) return func.name + ": " + broken;
        again = again.with(nest.share(func.id));
    }
    if (decided != nest.num_decided()) return "the count of decided Funcs is wrong";
    if (again.hash() != nest.hash()) return "the hash does not follow from the Funcs' hashes";
    for (const Func &func : nest.graph().funcs())
        if (!std::ranges::equal(nest.computed_in(func.id), again.computed_in(func.id)))
            return func.name +
                   ": what is computed in its loops does not follow from the Funcs' places";
    return "";
}

}  // namespace cryolite
