// Actions on a stage's loops: split, order, and kind.
#include <algorithm>

#include "code/legality/applied.h"
#include "code/legality/companions.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/site_rules.h"
#include "code/legality/tile_kernels.h"
#include "code/regions/storage_bounds.h"
#include "code/stage/split_tails.h"
#include "code/stage/whole_loops.h"
#include "code/stage/woven_vectors.h"

namespace cryolite::applied {
namespace {

std::optional<Reason> refuse_loop_change(const LoopNest &nest, StageId s) {
    if (!s.valid() || s.index() >= nest.graph().stages().size()) return Reason::NoSuchLoop;
    const Func &func = nest.graph().func_of(s);
    if (func.locked) return Reason::LockedByUser;
    if (func.is_extern) return Reason::RootOnly;
    if (!nest.decided(func.id) || nest.at(func.id).stages.empty()) return Reason::NotPlaced;
    if (is_left_alone(func, nest.at(func.id))) return Reason::EnclosedByUser;
    if (holds_others(nest, s) || is_in_tile_kernel(nest, s)) return Reason::LoopsInUse;
    return std::nullopt;
}

// A copy of the Func's nest in which one stage may be changed.
struct Change {
    FuncNest func;
    StageNest *stage;
};
Change change(const LoopNest &nest, StageId s) {
    const Stage &stage = nest.graph().stage(s);
    Change c{nest.at(stage.func), nullptr};
    c.stage = &c.func.stages[static_cast<size_t>(stage.index)];
    return c;
}

// Longer than any instruction adds up, and than rows that are worth joining.
constexpr int64_t most_joined = 32;

// Whether copies of the loop may be joined in the stage's vector: of neighbouring points, and if they are added up,
// beside no parallel loop.
bool may_join(const Stage &stage, const StageNest &nest, const LoopLevel &copies) {
    const LoopLevel &vector = nest.loops.back();
    const StageLoop &along = stage.loops[static_cast<size_t>(copies.name.dim)];
    if (vector.kind != LoopKind::Vectorized || vector.woven != 1 ||
        vector.name.dim == copies.name.dim ||
        stage.loops[static_cast<size_t>(vector.name.dim)].is_reduction || along.in_predicate ||
        copies.span != 1 || copies.extent < 2 || copies.extent > most_joined)
        return false;
    return along.is_reduction ? stage.dot && count_parallel(nest) == 0
                              : along.func_dim >= 0 && along.vectorizable;
}

// Whether the copies that are joined in the stage's vector are products of one sum.
bool adds_up_in_vector(const Stage &stage, const StageNest &nest) {
    return joined_points(nest) > 1 &&
           stage.loops[static_cast<size_t>(nest.loops[nest.loops.size() - 2].name.dim)]
               .is_reduction;
}

bool has_dim(const Stage &stage, int16_t dim) {
    return dim >= 0 && static_cast<size_t>(dim) < stage.loops.size();
}
}  // namespace

Changed apply_one(const LoopNest &nest, const action::Tile &a) {
    if (const auto reason = refuse_loop_change(nest, a.stage)) return *reason;
    if (!has_dim(nest.graph().stage(a.stage), a.dim)) return Reason::NoSuchLoop;
    if (a.spans.empty()) return Reason::BadTile;
    if (nest.graph().stage(a.stage).loops[static_cast<size_t>(a.dim)].in_predicate)
        return Reason::BadTile;
    Change c = change(nest, a.stage);
    LoopLevels &loops = c.stage->loops;
    const auto is_dim = [&](const LoopLevel &loop) { return loop.name.dim == a.dim; };
    const auto whole = std::find_if(loops.begin(), loops.end(), is_dim);
    if (std::count_if(loops.begin(), loops.end(), is_dim) != 1 || whole->kind != LoopKind::Serial) {
        return Reason::BadTile;
    }
    LoopLevels parts;
    int64_t extent = whole->extent;  // points to be covered by the next part
    for (size_t level = 0; level <= a.spans.size(); level++) {
        const int64_t span = level < a.spans.size() ? a.spans[level] : 1;
        // Parts below the first divide exactly and have more than one iteration. The first part may have a single
        // iteration. The loop inside it then has a constant extent and can be unrolled.
        const bool too_long = level == 0 ? span > extent : span >= extent;
        if (span < 1 || too_long || (level > 0 && extent % span != 0)) return Reason::BadTile;
        LoopLevel part;
        part.name = {a.stage, a.dim, static_cast<int16_t>(level)};
        part.span = span;
        part.extent = (extent + span - 1) / span;
        parts.push_back(part);
        extent = span;
    }
    const auto place = loops.erase(whole);
    loops.insert(place, parts.begin(), parts.end());
    if (c.func.is_companion && !divides_shared_parts(nest, c.func)) return Reason::BadTile;
    return finished(nest.graph(), std::move(c.func));
}

Changed apply_one(const LoopNest &nest, const action::Reorder &a) {
    if (const auto reason = refuse_loop_change(nest, a.stage)) return *reason;
    Change c = change(nest, a.stage);
    const LoopLevels &loops = c.stage->loops;
    if (a.order.size() != loops.size()) return Reason::NotAPermutation;
    LoopLevels ordered;
    ordered.reserve(loops.size());
    for (LoopName wanted : a.order) {
        if (wanted.stage != a.stage) return Reason::NotAPermutation;
        const auto is_wanted = [&](const LoopLevel &loop) { return loop.name == wanted; };
        if (std::any_of(ordered.begin(), ordered.end(), is_wanted)) return Reason::NotAPermutation;
        const auto found = std::find_if(loops.begin(), loops.end(), is_wanted);
        if (found == loops.end()) return Reason::NotAPermutation;
        ordered.push_back(*found);
    }
    if (!keeps_order(nest.graph().stage(a.stage), ordered)) return Reason::NotReorderable;
    for (size_t i = 0; i < loops.size(); i++) {
        // The vector loop stays innermost, joined copies beside it, parallel loops stay outermost, and mapped loops
        // stay together.
        const bool fixed = loops[i].is_joined || (loops[i].kind != LoopKind::Serial &&
                                                  loops[i].kind != LoopKind::Unrolled);
        if (fixed && ordered[i].name != loops[i].name) return Reason::NotReorderable;
        const bool at_same_time = loops[i].kind == LoopKind::Parallel ||
                                  loops[i].kind == LoopKind::GpuBlock ||
                                  loops[i].kind == LoopKind::GpuThread;
        if (at_same_time && !may_run_in_parallel(nest.graph().stage(a.stage), ordered, i))
            return Reason::NotReorderable;
    }
    c.stage->loops = std::move(ordered);
    return finished(nest.graph(), std::move(c.func));
}

namespace {

// Whether the stage may have the woven vectors that it has been given. They take two splits, and Halide bounds nothing
// by constants inside of two guards. So the Func is aligned, or an output whose last parts shift inwards. The updates
// of a Func may have the woven vectors of its pure stage, which align the Func's region. They come later: the region
// must not change under their splits.
bool may_weave(const StageGraph &graph, const FuncNest &func, const action::Vectorize &a) {
    constexpr int32_t most = 16;
    const Stage &stage = graph.stage(a.stage);
    const StageLoop &loop = stage.loops[static_cast<size_t>(a.dim)];
    if (a.woven < 1 || a.woven > most || a.width % a.woven != 0 || a.width / a.woven < 2 ||
        loop.is_reduction || loop.in_predicate || loop.taken_for_aligned)
        return false;
    const auto own = static_cast<size_t>(stage.index);
    if (func.stages[own].has_company) return false;
    if (aligned_to(graph, func, static_cast<size_t>(loop.func_dim)) != a.woven &&
        !shifts_inwards(graph, func.stages[own]))
        return false;
    if (stage.index > 0) {
        const LoopLevels &pure = func.stages[0].loops;
        const StageLoop &first =
            graph.stage(func.stages[0].stage).loops[static_cast<size_t>(pure.back().name.dim)];
        return pure.back().kind == LoopKind::Vectorized && pure.back().woven == a.woven &&
               first.func_dim == loop.func_dim;
    }
    return std::ranges::all_of(func.stages, [&](const StageNest &s) {
        return s.stage == a.stage || std::ranges::all_of(s.loops, [](const LoopLevel &l) {
                   return l.name.level == 0 && l.kind == LoopKind::Serial;
               });
    });
}

// Makes the region whole multiples of what is woven, and with it the outermost loops along the dimension.
void align_region(const StageGraph &graph, FuncNest &func) {
    for (size_t d = 0; d < func.compute_region.size(); d++) {
        const int64_t multiple = aligned_to(graph, func, d);
        if (multiple == 1) continue;
        func.compute_region[d] = aligned(func.compute_region[d], multiple);
        func.store_region[d] = aligned(func.store_region[d], multiple);
        if (d < func.storage_bound.size() && func.storage_bound[d] > 0)
            func.storage_bound[d] = aligned_points(func.storage_bound[d], multiple);
        for (StageNest &s : func.stages)
            for (LoopLevel &l : s.loops) {
                const auto dim = static_cast<size_t>(l.name.dim);
                if (graph.stage(s.stage).loops[dim].func_dim != static_cast<int>(d)) continue;
                s.range[dim] = aligned(s.range[dim], multiple);
                if (l.name.level == 0 && l.kind != LoopKind::Vectorized)
                    l.extent = (s.range[dim].extent() + l.span - 1) / l.span;
            }
    }
}

}  // namespace

Changed apply_one(const LoopNest &nest, const action::Vectorize &a) {
    if (const auto reason = refuse_loop_change(nest, a.stage)) return *reason;
    const Stage &stage = nest.graph().stage(a.stage);
    if (!has_dim(stage, a.dim)) return Reason::NoSuchLoop;
    const StageLoop &dimension = stage.loops[static_cast<size_t>(a.dim)];
    if (a.width < 2 || !dimension.vectorizable) return Reason::NotVectorizable;
    if (dimension.is_reduction && !dimension.parallelizable && !dimension.race_free_in_order)
        return Reason::NotVectorizable;
    if (is_on_gpu(nest.stage_nest(a.stage))) return Reason::InsideKernel;
    Change c = change(nest, a.stage);
    // A vector along a sliding window would keep Halide from folding the window's storage.
    if (c.func.slide_dim >= 0 && dimension.func_dim == c.func.slide_dim)
        return Reason::NotVectorizable;
    LoopLevels &loops = c.stage->loops;
    auto innermost = loops.end();
    for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
        if (loop->kind == LoopKind::Vectorized) return Reason::NotVectorizable;
        if (loop->name.dim == a.dim &&
            (innermost == loops.end() || loop->name.level > innermost->name.level)) {
            innermost = loop;
        }
    }
    if (innermost->kind != LoopKind::Serial && innermost->kind != LoopKind::Parallel) {
        return Reason::NotVectorizable;
    }
    const bool whole = has_constant_extent(stage, *innermost) && innermost->extent == a.width;
    LoopLevel vector = *innermost;
    if (whole) {
        if (innermost->kind == LoopKind::Parallel) return Reason::NotVectorizable;
        loops.erase(innermost);
    } else {
        // Below the first level, splits are exact.
        if (innermost->name.level > 0 && innermost->extent % a.width != 0) {
            return Reason::NotVectorizable;
        }
        innermost->extent = (innermost->extent + a.width - 1) / a.width;
        innermost->span = a.width;
        vector.name.level++;
        vector.extent = a.width;
    }
    vector.kind = LoopKind::Vectorized;
    vector.woven = a.woven;
    loops.push_back(vector);
    if (!keeps_order(stage, loops)) return Reason::NotVectorizable;
    if (const size_t first = first_parallel(*c.stage);
        first < loops.size() && !may_run_in_parallel(stage, loops, first))
        return Reason::NotVectorizable;
    if (c.func.is_companion && !divides_shared_parts(nest, c.func)) return Reason::NotVectorizable;
    if (a.woven != 1) {
        if (!may_weave(nest.graph(), c.func, a)) return Reason::NotVectorizable;
        if (stage.index == 0) align_region(nest.graph(), c.func);
    }
    return finished(nest.graph(), std::move(c.func));
}

Changed apply_one(const LoopNest &nest, const action::Unroll &a) {
    if (const auto reason = refuse_loop_change(nest, a.loop.stage)) return *reason;
    const int position = nest.position(a.loop);
    if (position < 0) return Reason::NoSuchLoop;
    Change c = change(nest, a.loop.stage);
    LoopLevel &loop = c.stage->loops[static_cast<size_t>(position)];
    if (loop.kind != LoopKind::Serial) return Reason::NotConstant;
    if (!has_constant_extent(nest.graph().stage(a.loop.stage), loop) &&
        !is_whole_of_tile(nest, a.loop))
        return Reason::NotConstant;
    loop.kind = LoopKind::Unrolled;
    return finished(nest.graph(), std::move(c.func));
}

Changed apply_one(const LoopNest &nest, const action::Join &a) {
    if (const auto reason = refuse_loop_change(nest, a.loop.stage)) return *reason;
    const Stage &stage = nest.graph().stage(a.loop.stage);
    const int position = nest.position(a.loop);
    if (position < 0) return Reason::NoSuchLoop;
    Change c = change(nest, a.loop.stage);
    LoopLevels &loops = c.stage->loops;
    LoopLevel &loop = loops[static_cast<size_t>(position)];
    if (loop.kind != LoopKind::Serial || !has_constant_extent(stage, loop))
        return Reason::NotConstant;
    if (static_cast<size_t>(position) + 2 != loops.size() || !may_join(stage, *c.stage, loop))
        return Reason::NotVectorizable;
    loop.kind = LoopKind::Unrolled;
    loop.is_joined = true;
    return finished(nest.graph(), std::move(c.func));
}

Changed apply_one(const LoopNest &nest, const action::Parallel &a) {
    if (const auto reason = refuse_loop_change(nest, a.stage)) return *reason;
    if (is_on_gpu(nest.stage_nest(a.stage))) return Reason::InsideKernel;
    const Stage &stage = nest.graph().stage(a.stage);
    Change c = change(nest, a.stage);
    LoopLevels &loops = c.stage->loops;
    if (adds_up_in_vector(stage, *c.stage)) return Reason::NotParallelizable;
    if (a.count < 1 || a.inside < 0 || count_parallel(*c.stage) > 0 ||
        static_cast<size_t>(a.count) + static_cast<size_t>(a.inside) > loops.size())
        return Reason::NotParallelizable;
    // Pure loops may as well be the outermost ones.
    if (a.inside > 0 && (a.count > 1 || stage.index == 0)) return Reason::NotParallelizable;
    // Inside another Func's loops the extents are expressions. From them Halide bounds the two halves of a fused loop
    // too widely, and needs more of an input than there is.
    if (a.count > 1 && c.func.placement != Placement::Root) return Reason::NotParallelizable;
    if (fuses_parts_with_others(loops, a.count)) return Reason::NotParallelizable;
    const auto first = static_cast<size_t>(a.inside), last = first + static_cast<size_t>(a.count);
    for (size_t i = 0; i < last; i++) {
        if (loops[i].kind != LoopKind::Serial) return Reason::NotParallelizable;
        if (i < first) continue;
        const StageLoop &loop = stage.loops[static_cast<size_t>(loops[i].name.dim)];
        if (a.count > 1 ? !loop.parallelizable : !may_run_in_parallel(stage, loops, i))
            return Reason::NotParallelizable;
        // Halide bounds no part of a fused loop by a predicate.
        if (a.count > 1 && loop.in_predicate) return Reason::NotParallelizable;
    }
    for (size_t i = first; i < last; i++) loops[i].kind = LoopKind::Parallel;
    return finished(nest.graph(), std::move(c.func));
}

namespace {

// Maps one to three directly nested serial loops to blocks or threads.
Changed map_loops(const LoopNest &nest, StageId s, const std::vector<LoopName> &names,
                  LoopKind kind) {
    const Stage &stage = nest.graph().stage(s);
    Change c = change(nest, s);
    LoopLevels &loops = c.stage->loops;
    if (has_kind(*c.stage, kind)) return Reason::NotMappable;
    if (names.empty() || names.size() > 3 || names[0].stage != s) return Reason::NotMappable;
    const int first = nest.position(names[0]);
    if (first < 0) return Reason::NoSuchLoop;
    if (static_cast<size_t>(first) + names.size() > loops.size()) return Reason::NotMappable;
    for (size_t i = 0; i < names.size(); i++) {
        LoopLevel &loop = loops[static_cast<size_t>(first) + i];
        const bool allowed = may_run_in_parallel(stage, loops, static_cast<size_t>(first) + i);
        if (loop.name != names[i] || loop.kind != LoopKind::Serial || !allowed ||
            (kind == LoopKind::GpuThread && !has_constant_extent(stage, loop))) {
            return Reason::NotMappable;
        }
        loop.kind = kind;
    }
    if (has_guard_between_blocks(*c.stage)) return Reason::NotMappable;
    return finished(nest.graph(), std::move(c.func));
}

}  // namespace

Outcome apply_one(const LoopNest &nest, const action::MapToBlocks &a) {
    if (const auto reason = refuse_loop_change(nest, a.stage)) return *reason;
    const StageNest &loops = nest.stage_nest(a.stage);
    if (is_on_gpu(nest.stage_nest(a.stage)) || has_kind(loops, LoopKind::Parallel) ||
        has_kind(loops, LoopKind::Vectorized)) {
        return Reason::InsideKernel;
    }
    if (nest.at(nest.graph().stage(a.stage).func).placement != Placement::Root) {
        return Reason::NotMappable;
    }
    if (stays_on_host(nest.graph(), nest.graph().stage(a.stage).func)) return Reason::EmptyOnDevice;
    const Changed mapped = map_loops(nest, a.stage, a.loops, LoopKind::GpuBlock);
    if (!mapped.ok()) return mapped.error();
    LoopNest next = nest.with(*mapped);
    // What the Func reads has a larger id, and is mostly not decided yet.
    for (size_t f = nest.graph().stage(a.stage).func.index() + 1; f < nest.graph().num_scheduled();
         f++)
        if (brings_empty_buffer(next, FuncId(f))) return Reason::EmptyOnDevice;
    return next;
}

Changed apply_one(const LoopNest &nest, const action::MapToThreads &a) {
    if (const auto reason = refuse_loop_change(nest, a.stage)) return *reason;
    const StageNest &loops = nest.stage_nest(a.stage);
    const std::optional<LoopName> site = nest.at(nest.graph().stage(a.stage).func).compute_at;
    if (level_of(nest, site) == KernelLevel::Thread) return Reason::InsideKernel;
    const int blocks_end = last_of(loops, LoopKind::GpuBlock);
    if (level_of(nest, site) == KernelLevel::Host && blocks_end < 0) return Reason::NotMappable;
    if (!a.loops.empty() && nest.position(a.loops[0]) <= blocks_end) return Reason::NotMappable;
    return map_loops(nest, a.stage, a.loops, LoopKind::GpuThread);
}

Changed apply_one(const LoopNest &nest, const action::TensorTile &a) {
    if (const auto reason = refuse_loop_change(nest, a.stage)) return *reason;
    const Stage &stage = nest.graph().stage(a.stage);
    if (!is_default(stage, nest.stage_nest(a.stage))) return Reason::LoopsInUse;
    if (const auto reason = refuse_tile_kernel(nest, a)) return *reason;
    Change c = change(nest, a.stage);
    LoopLevel &outermost = c.stage->loops.front();
    if (!stage.loops[static_cast<size_t>(outermost.name.dim)].parallelizable)
        return Reason::NotMappable;
    outermost.kind = LoopKind::GpuBlock;
    c.stage->tile_kernel = TileKernel{a.product, a.tile};
    return finished(nest.graph(), std::move(c.func));
}

}  // namespace cryolite::applied
