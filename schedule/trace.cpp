// From a LoopNest to the canonical list of actions that makes it. The way back is replay().
#include <algorithm>
#include <iterator>

#include "schedule/func_nest.h"

namespace cryolite {

namespace {

// The actions that turn default loops into the loops of `nest`: splits, vector loop, order, kinds.
void append_stage(const Stage &stage, const StageNest &nest, Trace &trace) {
    if (nest.tile_kernel) {
        trace.push_back(
            action::TensorTile{stage.id, nest.tile_kernel->product, nest.tile_kernel->tile});
        return;
    }
    std::vector<LoopName> order;  // that the actions so far make, outermost first
    for (size_t d = stage.loops.size(); d-- > 0;) {
        const auto dim = static_cast<int16_t>(d);
        std::vector<int64_t> spans;
        bool vectorized = false;
        for (const LoopLevel &loop : nest.loops) {
            if (loop.name.dim != dim) continue;
            spans.push_back(loop.span);
            vectorized |= loop.kind == LoopKind::Vectorized;
        }
        for (size_t level = 0; level < spans.size(); level++) {
            order.push_back({stage.id, dim, static_cast<int16_t>(level)});
        }
        spans.pop_back();  // single points
        // Vectorize makes this split, unless the dimension is a single vector that it would leave whole.
        const bool is_one_vector = stage.loops[d].is_reduction && stage.loops[d].constant_range &&
                                   spans.size() == 1 && spans[0] == nest.range[d].extent();
        if (vectorized && !spans.empty() && !is_one_vector) spans.pop_back();
        if (!spans.empty()) trace.push_back(action::Tile{stage.id, dim, std::move(spans)});
    }
    if (!nest.loops.empty() && nest.loops.back().kind == LoopKind::Vectorized) {
        const LoopLevel &vector = nest.loops.back();
        trace.push_back(action::Vectorize{stage.id, vector.name.dim,
                                          static_cast<int32_t>(vector.extent), vector.woven});
        order.erase(std::find(order.begin(), order.end(), vector.name));
        order.push_back(vector.name);
    }
    std::vector<LoopName> wanted;
    for (const LoopLevel &loop : nest.loops) wanted.push_back(loop.name);
    if (wanted != order) trace.push_back(action::Reorder{stage.id, std::move(wanted)});
    for (const LoopLevel &loop : nest.loops) {
        if (loop.kind != LoopKind::Unrolled) continue;
        trace.push_back(loop.is_joined ? Action(action::Join{loop.name})
                                       : action::Unroll{loop.name});
    }
    if (const size_t count = count_parallel(nest)) {
        trace.push_back(action::Parallel{stage.id, static_cast<int32_t>(count),
                                         static_cast<int32_t>(first_parallel(nest))});
    }
    std::vector<LoopName> blocks, threads;
    for (const LoopLevel &loop : nest.loops) {
        if (loop.kind == LoopKind::GpuBlock) blocks.push_back(loop.name);
        if (loop.kind == LoopKind::GpuThread) threads.push_back(loop.name);
    }
    if (!blocks.empty()) trace.push_back(action::MapToBlocks{stage.id, std::move(blocks)});
    if (!threads.empty()) trace.push_back(action::MapToThreads{stage.id, std::move(threads)});
}

}  // namespace

Trace trace_of(const LoopNest &nest, FuncId f) {
    Trace trace;
    const FuncNest &placed = nest.at(f);
    switch (placed.placement) {
        case Placement::Inline: trace.push_back(action::Inline{f}); break;
        case Placement::Root: trace.push_back(action::ComputeRoot{f}); break;
        case Placement::At:
            if (placed.is_companion) {
                trace.push_back(action::ComputeWith{f, *placed.compute_at});
                break;
            }
            trace.push_back(action::ComputeAt{f, *placed.compute_at});
            if (placed.store_at != placed.compute_at)
                trace.push_back(action::StoreAt{f, placed.store_at});
            break;
    }
    if (!placed.storage_order.empty())
        trace.push_back(action::ReorderStorage{f, placed.storage_order});
    if (is_left_alone(nest.graph().func(f), placed)) return trace;
    for (const StageNest &stage : placed.stages)
        append_stage(nest.graph().stage(stage.stage), stage, trace);
    return trace;
}

Trace trace_of(const LoopNest &nest) {
    Trace trace;
    for (const Func &func : nest.graph().funcs()) {
        if (func.is_input() || !nest.decided(func.id)) continue;
        Trace of_func = trace_of(nest, func.id);
        std::ranges::move(of_func, std::back_inserter(trace));
    }
    return trace;
}

}  // namespace cryolite
