// Equations (4.14) to (4.17) with their numbers written out, and algorithm 3.
#include "reference/locality/spatial_optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "featurize/thesis/cache_emulation.h"
#include "reference/locality/tile_sizes.h"
#include "tests/reference/locality_nests.h"

namespace cryolite::locality {
namespace {

using namespace thesis;

using namespace testing;

constexpr int line = 64;

// B_y, B_x = 2048, 1024 and T_y, T_x = 128, 32, floats: l_c = 16.
TEST(SpatialCost, OfTransposeAndMask) {
    const PerfectNest nest = transpose_and_mask(2048, 1024);
    const std::vector<int64_t> tile{32, 128};
    // (4.14), (4.15): B_x B_y / T_y rows of A, times T_x / l_c.
    EXPECT_EQ(spatial_partial_cost(nest, nest.references[1], tile, tm_x, line),
              2048 * 1024 / 128 * 2);
    // (4.16), (4.17): B_x B_y / T_x rows of B, times T_x / l_c.
    EXPECT_EQ(spatial_partial_cost(nest, nest.references[2], tile, tm_x, line),
              2048 * 1024 / 32 * 2);
}

TEST(SpatialCost, FavoursHighAndNarrowTiles) {
    const PerfectNest nest = transpose_and_mask(2048, 1024);
    const auto cost = [&](int64_t width, int64_t height) {
        const std::vector<int64_t> tile{width, height};
        return spatial_partial_cost(nest, nest.references[1], tile, tm_x, line) +
               spatial_partial_cost(nest, nest.references[2], tile, tm_x, line);
    };
    EXPECT_LT(cost(16, 128), cost(32, 128));
    EXPECT_LT(cost(16, 256), cost(16, 128));
}

TEST(SpatialCost, OfAnotherElementSizeHasAnotherLine) {
    PerfectNest nest = transpose_and_mask(2048, 1024);
    nest.references[1].element_bytes = 1;  // 64 to a line: 32 are no more than one
    const std::vector<int64_t> tile{32, 128};
    EXPECT_EQ(spatial_partial_cost(nest, nest.references[1], tile, tm_x, line), 2048 * 1024 / 128);
}

void expect_valid(const PerfectNest &nest, const Machine &m, const LocalityPlan &plan) {
    const NestRuns runs(nest, line, plan.nontemporal_stores);
    EXPECT_LE(plan.cost.l1_working_set_bytes, usable_bytes(m, 0));
    EXPECT_LE(working_set_bytes(runs, plan.tile), usable_bytes(m, 1));
    double tasks = 1;
    for (size_t l = 1; l < nest.loops.size(); l++)
        tasks *= static_cast<double>(tiles_of(nest, plan.tile, l));
    EXPECT_GE(tasks, m.cores);
    EXPECT_GE(plan.parallel_levels, 1u);
    EXPECT_EQ(plan.vector_loop, 0u);
}

TEST(SpatialOptimizer, OfTheThesissKernels) {
    for (const Machine &m : {i7_6700(), i7_5930k(), cortex_a15()}) {
        const PerfectNest nest = transpose_and_mask(4096, 4096);
        const Result<LocalityPlan> plan = optimize_spatial(nest, m);
        ASSERT_TRUE(plan.ok());
        expect_valid(nest, m, *plan);
        EXPECT_EQ(plan->locality, Locality::Spatial);
        EXPECT_TRUE(plan->nontemporal_stores);
        EXPECT_EQ(plan->tile[tm_x], 16) << "a line wide";
        // As high as algorithm 1 lets the rows of B be, all of which start in one set.
        TileBounds bounds(nest, m, true);
        EXPECT_EQ(plan->tile[tm_y], bounds.largest(tm_y, 1, plan->tile)) << m.name;
        // yy, xx, y, x.
        ASSERT_EQ(plan->tiling.levels.size(), 4u);
        EXPECT_EQ(plan->tiling.levels[0].loop, tm_y);
        EXPECT_EQ(plan->tiling.levels[1].loop, tm_x);
        EXPECT_EQ(plan->tiling.levels[2].loop, tm_y);
    }
}

TEST(SpatialOptimizer, WithoutConflictsTheTileIsHigherThanWide) {
    const PerfectNest nest = transpose_and_mask(3001, 5003);
    const Result<LocalityPlan> plan = optimize_spatial(nest, i7_6700());
    ASSERT_TRUE(plan.ok());
    expect_valid(nest, i7_6700(), *plan);
    EXPECT_EQ(plan->tile[tm_x], 16);
    EXPECT_GT(plan->tile[tm_y], 64);
}

TEST(SpatialOptimizer, FindsTheLeastOfAllTiles) {
    const PerfectNest nest = transpose_and_mask(301, 203);
    const Machine m = i7_6700();
    const Result<LocalityPlan> plan = optimize_spatial(nest, m);
    ASSERT_TRUE(plan.ok());
    EXPECT_FALSE(plan->nontemporal_stores) << "it fits the caches";
    TileBounds bounds(nest, m, false);
    const NestRuns runs(nest, line);
    double least = 1e300;
    for (int64_t width : tile_sizes(203, 16))
        for (int64_t height : tile_sizes(301, 1)) {
            const std::vector<int64_t> tile{width, height};
            const std::vector<size_t> order{tm_y, tm_x};
            const Tiling t = make_tiling(nest, tile, order, order);
            if (height > bounds.largest(tm_y, 1, tile) || (301 + height - 1) / height < m.cores ||
                working_set_bytes(runs, box_of(nest, t, l1_reuse_level(t))) > usable_bytes(m, 0) ||
                working_set_bytes(runs, tile) > usable_bytes(m, 1)) {
                continue;
            }
            least = std::min(least,
                             spatial_partial_cost(nest, nest.references[1], tile, tm_x, line) +
                                 spatial_partial_cost(nest, nest.references[2], tile, tm_x, line));
        }
    EXPECT_DOUBLE_EQ(plan->spatial_cost, least);
}

// out[z][y][x] = A[x][y][z]: z stands outside, x and the column of A (z) make the tile.
TEST(SpatialOptimizer, OfThreeDimensionsLeavesTheOthersOutside) {
    const PerfectNest nest =
        NestMaker({{"x", 96}, {"y", 80}, {"z", 112}})
            .array("out", Use::Write, {{96, {{0, 1}}}, {80, {{1, 1}}}, {112, {{2, 1}}}})
            .array("A", Use::Read, {{112, {{2, 1}}}, {80, {{1, 1}}}, {96, {{0, 1}}}})
            .nest;
    EXPECT_EQ(classify(nest, line), Locality::Spatial);
    const Result<LocalityPlan> plan = optimize_spatial(nest, i7_6700());
    ASSERT_TRUE(plan.ok());
    expect_valid(nest, i7_6700(), *plan);
    EXPECT_EQ(plan->tile[1], 1);
    EXPECT_EQ(plan->tiling.levels[0].loop, 1u);
    EXPECT_GE(plan->tile[2], 16);
}

TEST(SpatialOptimizer, NothingTransposedIsAnError) {
    const Result<LocalityPlan> plan = optimize_spatial(copy(64, 64), i7_6700());
    ASSERT_FALSE(plan.ok());
    EXPECT_NE(plan.error().message.find("transposed"), std::string::npos);
}

TEST(SpatialOptimizer, SmallNestsAreTiledAsFarAsTheyGo) {
    for (const auto &[y, x] : {std::pair{20, 17}, {64, 3}, {17, 1000}}) {
        const PerfectNest nest = transpose_and_mask(y, x);
        ASSERT_EQ(classify(nest, line), Locality::Spatial);
        const Result<LocalityPlan> plan = optimize_spatial(nest, i7_6700());
        ASSERT_TRUE(plan.ok()) << y << " " << x;
        expect_valid(nest, i7_6700(), *plan);
    }
}

}  // namespace
}  // namespace cryolite::locality
