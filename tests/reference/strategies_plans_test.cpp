// What the thesis's formulas plan for its own kernels is what the trace of the strategy says.
#include <algorithm>

#include <gtest/gtest.h>

#include "machine/presets.h"
#include "reference/locality/nest_of_stage.h"
#include "reference/locality/spatial_optimizer.h"
#include "reference/locality/temporal_optimizer.h"
#include "reference/reuse/plan.h"
#include "reference/strategy.h"
#include "schedule/trace_text.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::SmallPipeline;

Machine machine() {
    Machine m = *machine_preset("x86-avx2");
    m.cores = 4;
    return m;
}

// mask[y][x] & transposed[x][y], listing 4.2.
SmallPipeline transpose_and_mask(int width, int height) {
    using Halide::ImageParam, Halide::UInt, Halide::Var;
    Var x("x"), y("y");
    ImageParam a(UInt(32), 2, "a"), mask(UInt(32), 2, "mask");
    Halide::Func out("out");
    out(x, y) = a(y, x) & mask(x, y);
    a.set_estimates({{0, height}, {0, width}});
    mask.set_estimates({{0, width}, {0, height}});
    out.set_estimates({{0, width}, {0, height}});
    return {{out}};
}

// Of the Func of that name, which Halide may number.
const Stage &last_stage(const StageGraph &graph, const std::string &func) {
    for (const Func &f : graph.funcs())
        if (f.name.rfind(func, 0) == 0) return graph.stage(f.stages.back());
    throw std::runtime_error("no Func " + func);
}

// By loop.
std::vector<action::Tile> tiles_of(const StrategyResult &result, StageId stage) {
    std::vector<action::Tile> tiles;
    for (const Action &a : trace_of(result.nest))
        if (const auto *tile = std::get_if<action::Tile>(&a))
            if (tile->stage == stage) tiles.push_back(*tile);
    std::ranges::sort(tiles, {}, &action::Tile::dim);
    return tiles;
}

// The plan's tiles, order, vector and parallel loops, one by one.
void expect_is(const locality::LocalityPlan &plan, const locality::PerfectNest &nest,
               const StrategyResult &result, StageId stage) {
    SCOPED_TRACE(to_tree_text(result.nest));
    std::vector<action::Tile> expected;
    for (size_t l = 0; l < plan.tile.size(); l++)
        if (plan.tile[l] > 1 && plan.tile[l] < nest.loops[l].bound)
            expected.push_back({stage, static_cast<int16_t>(l), {plan.tile[l]}});
    EXPECT_EQ(tiles_of(result, stage), expected);
    std::vector<size_t> order, wanted;
    size_t parallel = 0;
    for (const LoopLevel &l : result.nest.stage_nest(stage).loops) {
        parallel += l.kind == LoopKind::Parallel;
        if (l.kind == LoopKind::Vectorized) {
            EXPECT_EQ(static_cast<size_t>(l.name.dim), plan.vector_loop);
        } else {
            order.push_back(static_cast<size_t>(l.name.dim));
        }
    }
    for (const locality::NestLevel &l : plan.tiling.levels) wanted.push_back(l.loop);
    EXPECT_EQ(order, wanted);
    EXPECT_EQ(parallel, plan.parallel_levels);
}

TEST(TemporalStrategy, schedules_a_matrix_product_as_algorithm_2_plans_it) {
    for (int size : {1024, 509}) {
        const BuiltGraph built = testing::matrix_multiply(size).build();
        const Stage &update = last_stage(built.graph, "product");
        const auto nest = locality::nest_of_stage(built.graph, update.id);
        ASSERT_TRUE(nest.ok());
        const auto plan = locality::optimize_temporal(*nest, machine());
        ASSERT_TRUE(plan.ok());
        EXPECT_GT(plan->tiling.first_intra, 0u);
        const StrategyResult result = schedule_by(Strategy::Temporal, built.graph, machine());
        expect_is(*plan, *nest, result, update.id);
        EXPECT_EQ(result.report.stages_as_planned, 3u) << result.report.text();
        EXPECT_EQ(result.report.stages_adapted + result.report.stages_plain, 0u);
    }
}

TEST(SpatialStrategy, schedules_transpose_and_mask_as_algorithm_3_plans_it) {
    for (const auto &[width, height] : {std::pair{4096, 4096}, {5003, 3001}}) {
        const BuiltGraph built = transpose_and_mask(width, height).build();
        const Stage &stage = last_stage(built.graph, "out");
        const auto nest = locality::nest_of_stage(built.graph, stage.id);
        ASSERT_TRUE(nest.ok());
        const auto plan = locality::optimize_spatial(*nest, machine());
        ASSERT_TRUE(plan.ok());
        const StrategyResult result = schedule_by(Strategy::Spatial, built.graph, machine());
        ASSERT_EQ(tiles_of(result, stage.id).size(), 2u);
        expect_is(*plan, *nest, result, stage.id);
    }
}

TEST(TemporalStrategy, takes_algorithm_2_for_a_transpose_too_and_spatial_keeps_a_product_whole) {
    const BuiltGraph transpose = transpose_and_mask(2048, 2048).build();
    const Stage &stage = last_stage(transpose.graph, "out");
    const auto nest = locality::nest_of_stage(transpose.graph, stage.id);
    const auto plan = locality::optimize_temporal(*nest, machine());
    ASSERT_TRUE(plan.ok());
    expect_is(*plan, *nest, schedule_by(Strategy::Temporal, transpose.graph, machine()), stage.id);

    const BuiltGraph product = testing::matrix_multiply(512).build();
    const Stage &update = last_stage(product.graph, "product");
    const StrategyResult result = schedule_by(Strategy::Spatial, product.graph, machine());
    EXPECT_TRUE(tiles_of(result, update.id).empty());
    EXPECT_EQ(result.report.stages_adapted, 1u);
    ASSERT_EQ(result.report.notes.size(), 1u);
    EXPECT_NE(result.report.notes[0].find("no array of the nest is transposed"), std::string::npos);
}

TEST(TemporalStrategy, tiles_no_stencil_and_inlines_only_what_is_trivial) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    const StrategyResult result = schedule_by(Strategy::Temporal, built.graph, machine());
    for (const Func &f : built.graph.funcs()) {
        if (f.is_input()) continue;
        EXPECT_EQ(result.nest.at(f.id).placement,
                  f.is_trivial ? Placement::Inline : Placement::Root)
            << f.name;
        if (f.is_trivial) continue;
        EXPECT_TRUE(tiles_of(result, f.stages[0]).empty()) << f.name;
        const LoopLevels &loops = result.nest.stage_nest(f.stages[0]).loops;
        EXPECT_EQ(loops.front().kind, LoopKind::Parallel);
        EXPECT_EQ(loops.back().kind, LoopKind::Vectorized);
    }
}

TEST(ReuseStrategy, slides_the_blurs_rows_in_the_strips_that_algorithm_6_plans) {
    for (const auto &[width, height] : {std::pair{6400, 4800}, {1021, 509}}) {
        const BuiltGraph built = testing::box_filter(width, height).build();
        const reuse::Plan plan =
            plan_by_reuse(built.graph, reuse::cache_budget(machine(), machine().cores), {});
        ASSERT_EQ(plan.segments.size(), 1u);
        const reuse::TiledNest &tiled = plan.segments[0].tiled.nest;
        const StrategyResult result = schedule_by(Strategy::Reuse, built.graph, machine());
        SCOPED_TRACE(to_text(built.graph, plan) + to_tree_text(result.nest));
        const StageId out = last_stage(built.graph, "out").id;
        std::vector<action::Tile> expected;
        for (size_t l = 0; l < tiled.tile.size(); l++)
            if (tiled.tile[l] > 1 && tiled.tile[l] < tiled.ranges[l].extent())
                expected.push_back({out, static_cast<int16_t>(l), {tiled.tile[l]}});
        EXPECT_EQ(tiles_of(result, out), expected);
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(result.nest.stage_nest(out).loops.front().kind, LoopKind::Parallel);

        const FuncNest &rows = result.nest.at(last_stage(built.graph, "rows").func);
        ASSERT_TRUE(rows.compute_at && rows.store_at);
        EXPECT_NE(*rows.compute_at, *rows.store_at);
        EXPECT_EQ(rows.slide_dim, 1);
        EXPECT_EQ(rows.slide_step, 1);
        EXPECT_EQ(result.report.funcs_moved, 0u) << result.report.text();
    }
}

}  // namespace
}  // namespace cryolite
