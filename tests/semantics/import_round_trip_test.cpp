// A schedule of ours that is emitted onto Halide's Funcs is imported again as it was: the same decisions, and no
// difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "emit/import/clear_schedule.h"
#include "emit/import/import_schedule.h"
#include "schedule/func_nest.h"
#include "schedule/trace_text.h"
#include "tests/semantics/random_pipeline.h"
#include "tests/semantics/random_trace.h"

namespace cryolite {
namespace {

std::vector<Halide::Internal::Function> outputs_of(const RandomPipeline &pipeline) {
    std::vector<Halide::Internal::Function> outputs;
    for (const PipelineOutput &output : pipeline.outputs) outputs.push_back(output.func.function());
    return outputs;
}

// Emission fuses parallel loops over whole dimensions last where another one is split twice (fusion_order() in
// emit/schedule_call.cpp). The order that they had before leaves no mark on Halide's Funcs.
LoopNest with_emitted_fusion_order(const LoopNest &nest) {
    Trace trace;
    for (const Action &action : trace_of(nest)) {
        if (const auto *parallel = std::get_if<action::Parallel>(&action)) {
            const LoopLevels &loops = nest.stage_nest(parallel->stage).loops;
            const auto parts_of = [&](LoopName loop) {
                return std::ranges::count_if(
                    loops, [&](const LoopLevel &l) { return l.name.dim == loop.dim; });
            };
            std::vector<LoopName> order;
            for (const LoopLevel &l : loops) order.push_back(l.name);
            const auto fused = order.begin() + parallel->count;
            if (std::any_of(order.begin(), fused, [&](LoopName l) { return parts_of(l) > 2; }))
                std::stable_partition(order.begin(), fused,
                                      [&](LoopName l) { return parts_of(l) > 1; });
            trace.push_back(action::Reorder{parallel->stage, std::move(order)});
        }
        trace.push_back(action);
    }
    const auto again = replay(nest.graph(), trace);
    return again.ok() ? *again : nest;
}

// A companion's loops over single points leave no mark either: they count as serial, and as those inside of a parallel
// one.
LoopNest with_single_points_outside(LoopNest nest) {
    for (const Func &f : nest.graph().funcs()) {
        if (f.is_input() || !nest.decided(f.id) || !nest.at(f.id).is_companion) continue;
        FuncNest placed = nest.at(f.id);
        LoopLevels &loops = placed.stages[0].loops;
        const std::vector<StageLoop> &dims = nest.graph().stage(f.stages[0]).loops;
        const auto is_single = [&](const LoopLevel &l) {
            return shared_part(nest, placed, dims[static_cast<size_t>(l.name.dim)].func_dim) == 1;
        };
        std::vector<LoopLevel> parallel, single, others;
        for (LoopLevel l : loops) {
            if (is_single(l)) l.kind = LoopKind::Serial;
            (is_single(l) ? single : l.kind == LoopKind::Parallel ? parallel : others).push_back(l);
        }
        std::ranges::sort(single, std::greater{}, [](const LoopLevel &l) { return l.name.dim; });
        loops.clear();
        for (const auto &part : {parallel, single, others})
            for (const LoopLevel &l : part) loops.push_back(l);
        placed.hash = hash_of(placed);
        nest = nest.with(std::make_shared<const FuncNest>(std::move(placed)));
    }
    return nest;
}

std::string text_of(const ScheduleDifferences &differences) {
    std::string text;
    for (const ScheduleDifference &d : differences) text += to_text(d) + "\n";
    return text;
}

void expect_round_trip(uint64_t seed, const SizeProfile &profile) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomPipeline pipeline = make_random_pipeline(seed, profile);
    const Result<BuiltGraph> built = build_graph(outputs_of(pipeline), Halide::get_host_target());
    ASSERT_TRUE(built.ok()) << built.error().message;
    const RandomTrace drawn = draw_random_trace(built->graph, Random(seed).fork("random trace"));
    const Result<Emitted> emitted = emit(*built, drawn.nest);
    ASSERT_TRUE(emitted.ok()) << emitted.error().message;

    const PipelineView by_hand = view_pipeline(outputs_of(pipeline));
    clear_schedules(outputs_of(pipeline));
    const Result<BuiltGraph> cleared = build_graph(outputs_of(pipeline), Halide::get_host_target());
    ASSERT_TRUE(cleared.ok()) << cleared.error().message;
    for (const Func &f : cleared->graph.funcs()) EXPECT_FALSE(f.locked) << f.locked_because;
    const Result<ImportedSchedule> imported = import_schedule(*cleared, by_hand);
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    EXPECT_TRUE(imported->nest.complete());
    EXPECT_EQ(validate(imported->nest), "");
    EXPECT_EQ(text_of(imported->differences), "");
    const LoopNest expected = with_single_points_outside(with_emitted_fusion_order(drawn.nest));
    EXPECT_EQ(to_text(cleared->graph, trace_of(imported->nest)),
              to_text(built->graph, trace_of(expected)));
}

TEST(ImportRoundTrip, RandomSchedulesOfSmallPipelines) {
    SizeProfile profile;
    profile.max_funcs = 6;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        expect_round_trip(seed, profile);
        if (HasFatalFailure()) return;
    }
}

TEST(ImportRoundTrip, RandomSchedulesOfLargerPipelines) {
    for (uint64_t seed = 1001; seed <= 1060; seed++) {
        expect_round_trip(seed, {});
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace cryolite
