#include <map>
#include <set>

#include "emit/emit_calls.h"

namespace cryolite {

namespace {

using Halide::VarOrRVar;
using Method = ScheduleCall::Method;

VarOrRVar variable(const LoopVariable &v) { return VarOrRVar(v.name, v.is_reduction); }

Halide::TailStrategy strategy(ScheduleCall::Tail tail) {
    switch (tail) {
        case ScheduleCall::Tail::RoundUp: return Halide::TailStrategy::RoundUp;
        case ScheduleCall::Tail::ShiftInwards: return Halide::TailStrategy::ShiftInwards;
        case ScheduleCall::Tail::GuardWithIf: break;
    }
    return Halide::TailStrategy::GuardWithIf;
}

Halide::Expr large_enough(Halide::Func &func, const ScheduleCall &call) {
    Halide::Expr condition;
    const Halide::OutputImageParam buffer = func.output_buffers()[0];
    for (const WholePart &m : call.whole_parts) {
        const auto dim = buffer.dim(m.func_dim);
        const int extent = static_cast<int>(m.extent);
        Halide::Expr fits =
            m.is_exact ? dim.min() == 0 && dim.extent() == extent : dim.extent() >= extent;
        if (m.period > 1) fits = fits && dim.min() % static_cast<int>(m.period) == 0;
        if (m.divides) fits = fits && dim.min() == 0 && dim.extent() % extent == 0;
        if (m.ends_at_period) fits = fits && dim.extent() % static_cast<int>(m.period) == 0;
        condition = condition.defined() ? condition && fits : fits;
    }
    return condition;
}

Halide::Expr split_factor(const Halide::Func &func, const ScheduleCall &call) {
    const int factor = static_cast<int>(call.factor);
    if (!call.odd_parts_of) return factor;
    const Halide::OutputImageParam buffer = func.output_buffers()[0];
    const Halide::Expr part = buffer.dim(*call.odd_parts_of).extent() / factor;
    if (!call.hidden_by_stride_of) return part | 1;
    // No bound of it may be so narrow that Halide finds out how many parts there are.
    const Halide::Expr stride = buffer.dim(*call.hidden_by_stride_of).stride();
    return max(min(stride, part) | 1, 1);
}

// The stages of outputs as specialised for sizes that hold whole parts, in the latest of their cases.
using Specialized = std::map<StageId, Halide::Stage>;

void run(const StageGraph &graph, std::span<const Halide::Internal::Function> functions,
         const ScheduleCall &call, Specialized &specialized) {
    const Stage &stage = graph.stage(call.stage);
    Halide::Func func(functions[stage.func.index()]);
    const auto leader = [&] {
        return Halide::LoopLevel(functions[graph.stage(*call.site).func.index()],
                                 variable(call.variables[0]), graph.stage(*call.site).index);
    };
    const auto site = [&] {
        const Stage &around = graph.stage(*call.site);
        // Not with the stage's index: Halide takes that for compute_with only.
        return Halide::LoopLevel(functions[around.func.index()], variable(call.variables[0]));
    };
    switch (call.method) {
        case Method::ComputeRoot: func.compute_root(); return;
        case Method::ComputeAt: func.compute_at(site()); return;
        case Method::StoreRoot: func.store_root(); return;
        case Method::ComputeWith:
            Halide::Stage(func).compute_with(leader(), Halide::LoopAlignStrategy::Auto);
            return;
        case Method::StoreAt: func.store_at(site()); return;
        case Method::StoreInPool: func.store_in(Halide::MemoryType::Stack); return;
        case Method::ReorderStorage: {
            std::vector<Halide::Var> order;
            for (const LoopVariable &v : call.variables) order.emplace_back(v.name);
            func.reorder_storage(order);
            return;
        }
        case Method::BoundStorage:
            func.bound_storage(Halide::Var(call.variables[0].name), static_cast<int>(call.factor));
            return;
        case Method::AlignStorage:
            func.align_storage(Halide::Var(call.variables[0].name), static_cast<int>(call.factor));
            return;
        case Method::AlignBounds:
            func.align_bounds(Halide::Var(call.variables[0].name), static_cast<int>(call.factor));
            return;
        case Method::Specialize:
            specialized.insert_or_assign(call.stage, func.specialize(large_enough(func, call)));
            return;
        default: break;
    }
    Halide::Stage handle = call.specialized   ? specialized.at(call.stage)
                           : stage.index == 0 ? static_cast<Halide::Stage>(func)
                                              : func.update(stage.index - 1);
    std::vector<VarOrRVar> v;
    for (const LoopVariable &name : call.variables) v.push_back(variable(name));
    switch (call.method) {
        case Method::Split:
            handle.split(v[0], v[1], v[2], split_factor(func, call), strategy(call.tail));
            return;
        case Method::Reorder: handle.reorder(v); return;
        case Method::Fuse: handle.fuse(v[0], v[1], v[2]); return;
        case Method::Rename: handle.rename(v[0], v[1]); return;
        case Method::Parallel: handle.parallel(v[0]); return;
        case Method::Atomic: handle.atomic(); return;
        case Method::AllowRaceConditions: handle.allow_race_conditions(); return;
        case Method::Vectorize: handle.vectorize(v[0]); return;
        case Method::Unroll: handle.unroll(v[0]); return;
        case Method::GpuBlocks:
            for (const VarOrRVar &loop : v) handle.gpu_blocks(loop);
            return;
        case Method::GpuThreads:
            for (const VarOrRVar &loop : v) handle.gpu_threads(loop);
            return;
        case Method::NeverPartition:
            if (v.empty())
                handle.never_partition_all();
            else
                handle.partition(v[0], Halide::Partition::Never);
            return;
        case Method::Unscheduled: handle.unscheduled(); return;
        default: return;
    }
}

}  // namespace

void run_calls(const StageGraph &graph, std::span<const Halide::Internal::Function> functions,
               std::span<const ScheduleCall> calls) {
    Specialized specialized;
    for (const ScheduleCall &call : calls) run(graph, functions, call, specialized);
}

namespace {

bool holds_whole_parts(const LoopNest &nest, const ScheduleCall &call) {
    const Stage &stage = nest.graph().stage(call.stage);
    const StageNest &shape = nest.stage_nest(call.stage);
    return std::ranges::all_of(call.whole_parts, [&](const WholePart &part) {
        for (size_t d = 0; d < stage.loops.size(); d++) {
            if (stage.loops[d].func_dim != part.func_dim) continue;
            const int64_t extent = shape.range[d].extent();
            return (part.is_exact ? extent == part.extent : extent >= part.extent) &&
                   shape.range[d].min % part.period == 0 &&
                   (!part.ends_at_period || extent % part.period == 0) &&
                   (!part.divides || may_divide(shape, d));
        }
        return false;
    });
}

}  // namespace

void leave_out_small_sizes(const LoopNest &nest,
                           std::span<const Halide::Internal::Function> functions,
                           std::span<const ScheduleCall> calls) {
    std::set<StageId> left_out;  // a stage may have several cases
    for (const ScheduleCall &call : calls)
        if (call.method == Method::Specialize && holds_whole_parts(nest, call) &&
            left_out.insert(call.stage).second)
            Halide::Func(functions[nest.graph().stage(call.stage).func.index()])
                .specialize_fail("it was compiled for larger sizes alone");
}

}  // namespace cryolite
