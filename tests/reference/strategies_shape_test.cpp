// From a plan's numbers to splits that apply() takes, and what becomes of what it does not take.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "reference/builder.h"
#include "schedule/trace_text.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite::strategies {
namespace {

using testing::GraphMaker;

struct Shapes : ::testing::Test {
    static constexpr int64_t width = 100, height = 37;
    StageGraph graph = make();
    const Stage &stage = graph.stage(graph.func(FuncId(0)).stages.back());
    Intervals range{{0, width - 1}, {0, height - 1}};
    Builder builder{graph, machine_presets().front().machine};

    static StageGraph make() {
        GraphMaker make;
        make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, width - 1}, {0, height - 1}});
        return make.finish();
    }
    std::vector<std::vector<int64_t>> spans(const StageShape &shape) {
        return splits_of(stage, range, shape).spans;
    }
};

using Spans = std::vector<std::vector<int64_t>>;

TEST_F(Shapes, leave_out_spans_of_one_point_and_of_all_points) {
    EXPECT_EQ(spans({.levels = {{0, 100}, {1, 37}, {0, 1}, {1, 1}}}), (Spans{{}, {}}));
    EXPECT_EQ(spans({.levels = {{0, 99}, {1, 36}, {0, 1}, {1, 1}}}), (Spans{{99}, {36}}));
    EXPECT_EQ(spans({.levels = {{0, 2}, {1, 1}, {0, 1}}}), (Spans{{2}, {}}));
}

TEST_F(Shapes, round_tiles_to_whole_vectors_and_tiles_of_tiles_to_those) {
    const StageSplits s = splits_of(
        stage, range,
        {.levels = {{0, 50}, {0, 20}, {0, 1}, {1, 1}}, .vector_loop = 0, .vector_width = 8});
    EXPECT_EQ(s.spans, (Spans{{48, 16}, {}}));
    EXPECT_EQ(s.vector_width, 8);
    EXPECT_TRUE(s.adapted);
    const StageSplits kept = splits_of(
        stage, range,
        {.levels = {{0, 48}, {0, 16}, {0, 1}, {1, 1}}, .vector_loop = 0, .vector_width = 8});
    EXPECT_EQ(kept.spans, (Spans{{48, 16}, {}}));
    EXPECT_FALSE(kept.adapted);
}

TEST_F(Shapes, have_vectors_no_wider_than_the_tile_or_the_loop) {
    EXPECT_EQ(
        splits_of(stage, range, {.levels = {{0, 6}, {0, 1}}, .vector_loop = 0, .vector_width = 8})
            .vector_width,
        4);
    EXPECT_EQ(splits_of(stage, range, {.levels = {{1, 1}}, .vector_loop = 1, .vector_width = 64})
                  .vector_width,
              32);
    range[1] = {5, 5};
    EXPECT_EQ(splits_of(stage, range, {.levels = {{1, 1}}, .vector_loop = 1, .vector_width = 64})
                  .vector_width,
              1);
}

TEST_F(Shapes, tell_which_loop_each_level_became) {
    builder.compute_root(FuncId(0));
    const auto loops = builder.shape(stage.id, {.levels = {{1, 4}, {0, 16}, {1, 1}, {0, 1}},
                                                .vector_loop = 0,
                                                .vector_width = 8,
                                                .parallel_levels = 1});
    const LoopName x0{stage.id, 0, 0}, x1{stage.id, 0, 1}, y0{stage.id, 1, 0}, y1{stage.id, 1, 1};
    EXPECT_EQ(loops, (std::vector<std::optional<LoopName>>{y0, x0, y1, x1}));
    const LoopLevels &nest = builder.nest().stage_nest(stage.id).loops;
    ASSERT_EQ(nest.size(), 5u);
    EXPECT_EQ(nest[0].kind, LoopKind::Parallel);
    EXPECT_EQ(nest[4].kind, LoopKind::Vectorized);
    EXPECT_EQ(nest[3].extent, 2);
}

TEST_F(Shapes, of_a_tile_that_is_one_vector_have_no_loop_inside) {
    builder.compute_root(FuncId(0));
    const auto loops = builder.shape(
        stage.id, {.levels = {{0, 8}, {1, 1}, {0, 1}}, .vector_loop = 0, .vector_width = 8});
    EXPECT_EQ(loops, (std::vector<std::optional<LoopName>>{
                         LoopName{stage.id, 0, 0}, LoopName{stage.id, 1, 0}, std::nullopt}));
    EXPECT_EQ(builder.nest().stage_nest(stage.id).loops.size(), 3u);
}

TEST_F(Shapes, put_loops_that_they_leave_out_inside_the_parallel_ones) {
    builder.compute_root(FuncId(0));
    builder.shape(stage.id, {.levels = {{1, 1}}, .parallel_levels = 1});
    const LoopLevels &nest = builder.nest().stage_nest(stage.id).loops;
    EXPECT_EQ(nest[0].name.dim, 1);
    EXPECT_EQ(nest[0].kind, LoopKind::Parallel);
    EXPECT_EQ(nest[1].name.dim, 0);
}

TEST(Adaptations, put_reductions_back_into_their_order_and_are_counted) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const StageId update =
        make.stage(out, {GraphMaker::reduction("r", 40, true), GraphMaker::reduction("s", 3, true),
                         GraphMaker::pure("x", 0)});
    const StageGraph graph = make.finish();
    Builder builder(graph, machine_presets().front().machine);
    builder.compute_root(out);
    // r outside of s, and x between them.
    builder.shape(update, {.levels = {{0, 1}, {2, 1}, {1, 1}}});
    const LoopLevels &nest = builder.nest().stage_nest(update).loops;
    EXPECT_EQ(nest[0].name.dim, 1);
    EXPECT_EQ(nest[1].name.dim, 2);
    EXPECT_EQ(nest[2].name.dim, 0);
    const StrategyResult result = std::move(builder).finish();
    EXPECT_EQ(result.report.stages_adapted, 1u);
    EXPECT_EQ(result.report.stages_as_planned, 0u);
    EXPECT_EQ(result.report.rejected[static_cast<size_t>(Reason::NotReorderable)], 1u);
    EXPECT_EQ(validate(result.nest), "");
}

TEST(Adaptations, of_loops_under_a_predicate_leave_them_whole) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    StageLoop x = GraphMaker::pure("x", 0);
    x.in_predicate = true;
    const StageId update = make.stage(out, {GraphMaker::reduction("r", 40, false), x});
    const StageGraph graph = make.finish();
    Builder builder(graph, machine_presets().front().machine);
    builder.compute_root(out);
    const auto loops = builder.shape(
        update, {.levels = {{1, 16}, {0, 1}, {1, 1}}, .vector_loop = 1, .vector_width = 8});
    // What would have been the loop inside the tile is the whole loop.
    EXPECT_EQ(loops, (std::vector<std::optional<LoopName>>{std::nullopt, LoopName{update, 0, 0},
                                                           LoopName{update, 1, 0}}));
    EXPECT_EQ(std::move(builder).finish().report.stages_adapted, 1u);
}

TEST(Places, that_are_refused_give_way_to_the_next_loop_around_and_to_root) {
    const StageGraph graph = testing::blur_graph();
    const FuncId out = graph.func(FuncId(0)).id, rows = graph.func(FuncId(1)).id;
    const StageId stage = graph.func(out).stages[0];
    const auto outer_and_inner = [&](Builder &builder) {
        builder.compute_root(out);
        return builder.shape(stage, {.levels = {{1, 8}, {1, 1}, {0, 1}}, .parallel_levels = 1});
    };
    {
        // A window past the parallel loop: whole tiles instead.
        Builder builder(graph, machine_presets().front().machine);
        const auto loops = outer_and_inner(builder);
        builder.place(rows, {{*loops[0]}, true});
        EXPECT_EQ(builder.nest().at(rows).placement, Placement::Root);
        EXPECT_EQ(std::move(builder).finish().report.funcs_moved, 1u);
    }
    {
        Builder builder(graph, machine_presets().front().machine);
        const auto loops = outer_and_inner(builder);
        const LoopName nowhere{stage, 1, 7};
        builder.place(rows, {{nowhere, *loops[0]}, false});
        EXPECT_EQ(builder.nest().at(rows).compute_at, loops[0]);
        EXPECT_EQ(std::move(builder).finish().report.funcs_moved, 1u);
    }
    {
        Builder builder(graph, machine_presets().front().machine);
        const auto loops = outer_and_inner(builder);
        builder.place(rows, {{*loops[1], *loops[0]}, true});
        EXPECT_EQ(builder.nest().at(rows).compute_at, loops[1]);
        EXPECT_EQ(builder.nest().at(rows).store_at, loops[0]);
        EXPECT_EQ(std::move(builder).finish().report.funcs_moved, 0u);
    }
}

}  // namespace
}  // namespace cryolite::strategies
