// Algorithm 2: what it picks is valid, the least of all where all can be tried, and right in kind
// for the thesis's kernels.
#include "reference/locality/temporal_optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "featurize/thesis/cache_emulation.h"
#include "reference/locality/loop_order.h"
#include "reference/locality/tile_sizes.h"
#include "tests/reference/locality_nests.h"

namespace cryolite::locality {
namespace {

using namespace thesis;

using namespace testing;

// Everything that the text asks of a tiling, checked apart from the search.
void expect_valid(const PerfectNest &nest, const Machine &m, const LocalityPlan &plan) {
    ASSERT_EQ(plan.tile.size(), nest.loops.size());
    const Tiling &t = plan.tiling;
    const size_t column = column_loop(nest);
    std::vector<int64_t> last_span;
    for (size_t l = 0; l < nest.loops.size(); l++) {
        EXPECT_GE(plan.tile[l], 1);
        EXPECT_LE(plan.tile[l], nest.loops[l].bound);
        last_span.push_back(nest.loops[l].bound);
    }
    for (size_t i = 0; i < t.levels.size(); i++) {
        const NestLevel &level = t.levels[i];
        EXPECT_LT(level.span, last_span[level.loop]);
        last_span[level.loop] = level.span;
        if (i < t.first_intra) {
            EXPECT_EQ(level.span, plan.tile[level.loop]);
        }
    }
    for (int64_t span : last_span) EXPECT_EQ(span, 1);
    EXPECT_TRUE(keeps_order(nest, t));

    const NestRuns runs(nest, 64, plan.nontemporal_stores);
    EXPECT_LE(working_set_bytes(runs, box_of(nest, t, l1_reuse_level(t))), usable_bytes(m, 0));
    EXPECT_LE(working_set_bytes(runs, box_of(nest, t, l2_reuse_level(t))), usable_bytes(m, 1));
    const int64_t required = required_tiles(nest, m);
    if (required > 1) {
        ASSERT_GT(t.first_intra, 0u);
        EXPECT_GE(tiles_of(nest, plan.tile, t.levels[0].loop), required);
        EXPECT_TRUE(nest.loops[t.levels[0].loop].parallelizable);
        EXPECT_GE(plan.parallel_levels, 1u);
    }
    const size_t intra = t.levels.size() - t.first_intra;
    if (intra > 1) {
        EXPECT_NE(t.levels[t.first_intra].loop, column);
        if (plan.tile[column] > 1) {
            EXPECT_EQ(t.levels.back().loop, column);
        }
    }
    TileBounds bounds(nest, m, plan.nontemporal_stores);
    size_t rows = 0;
    for (size_t i = t.levels.size(); i-- > t.first_intra && rows < 2;) {
        const size_t loop = t.levels[i].loop;
        if (loop == column) continue;
        EXPECT_LE(plan.tile[loop], bounds.largest(loop, rows, plan.tile)) << nest.loops[loop].name;
        rows++;
    }
    const TileCost cost = tile_cost(runs, t, m);
    EXPECT_EQ(cost.cycles, plan.cost.cycles);
    EXPECT_EQ(loop_distance(nest, t), plan.loop_distance);
}

LocalityPlan planned(const PerfectNest &nest, const Machine &m) {
    const Result<LocalityPlan> plan = optimize_temporal(nest, m);
    EXPECT_TRUE(plan.ok());
    if (!plan.ok()) return {};
    expect_valid(nest, m, *plan);
    return *plan;
}

TEST(TemporalOptimizer, MatmulIsTiledAsListing41Is) {
    for (const Machine &m : {i7_6700(), i7_5930k(), cortex_a15()}) {
        const LocalityPlan plan = planned(matmul(2048, 2048, 2048), m);
        EXPECT_EQ(plan.tiling.levels[0].loop, mm_i) << m.name;
        EXPECT_EQ(plan.vector_loop, mm_j);
        EXPECT_FALSE(plan.nontemporal_stores);
        EXPECT_EQ(plan.tile[mm_j] % 16, 0);
        EXPECT_GE(plan.tile[mm_j], 64);
        EXPECT_GT(plan.tilings_compared, 10);
        // Without tiles every iteration of i reads all rows of B.
        EXPECT_LT(plan.cost.l1_misses, 2048.0 * 2048.0 * 2) << m.name;
    }
}

TEST(TemporalOptimizer, OddAndPrimeSizesAreTiledToo) {
    for (const auto &[i, j, k] : {std::tuple{1021, 509, 251},
                                  {7, 4099, 13},
                                  {1, 1000, 1000},
                                  {1000, 1, 1000},
                                  {333, 3, 77},
                                  {1, 1, 5},
                                  {2, 2, 2}}) {
        planned(matmul(i, j, k), i7_6700());
        planned(matmul(i, j, k), cortex_a15());
    }
}

TEST(TemporalOptimizer, FourAndSevenLoops) {
    planned(doitgen(256, 256, 256), i7_5930k());
    planned(doitgen(13, 97, 251), i7_6700());
    const PerfectNest conv = conv_layer(16, 64, 64, 256, 256, 3);
    const LocalityPlan plan = planned(conv, i7_5930k());
    EXPECT_EQ(plan.vector_loop, 0u);
    EXPECT_GT(plan.tilings_compared, 10);
    planned(conv_layer(1, 7, 3, 57, 53, 5), i7_6700());
}

// A contraction over six indices of six more: bounded work, and a valid plan.
TEST(TemporalOptimizer, TwelveLoops) {
    std::vector<std::pair<std::string, int64_t>> loops;
    std::vector<Dim> out, a;
    for (size_t l = 0; l < 12; l++) {
        loops.emplace_back("l" + std::to_string(l), 8);
        (l % 2 == 0 ? out : a).push_back({8, {{l, 1}}});
    }
    a.push_back({8, {{0, 1}}});
    planned(NestMaker(loops).array("out", Use::Both, out).array("a", Use::Read, a).nest, i7_6700());
}

TEST(TemporalOptimizer, IsDeterministic) {
    const LocalityPlan a = planned(doitgen(100, 90, 80), i7_6700());
    const LocalityPlan b = planned(doitgen(100, 90, 80), i7_6700());
    EXPECT_EQ(a.tile, b.tile);
    EXPECT_EQ(a.tiling, b.tiling);
    EXPECT_EQ(a.cost.cycles, b.cost.cycles);
}

// A machine so small that matmul's tiles are few: 1 KB and 8 KB.
Machine tiny_machine(int threads) {
    Machine m = i7_6700();
    m.name = "tiny";
    m.cores = threads;
    m.caches[0] = {1 << 10, 4, 64, 1, 64, 64};
    m.caches[1] = {8 << 10, 8, 64, 1, 32, 32};
    m.l2_prefetch_distance_lines = 2;
    return m;
}

// All sizes that are offered times all permutations of both orders.
double least_cycles(const PerfectNest &nest, const Machine &m) {
    const size_t n = nest.loops.size(), column = column_loop(nest);
    std::vector<std::vector<int64_t>> sizes;
    for (size_t l = 0; l < n; l++)
        sizes.push_back(tile_sizes(nest.loops[l].bound, l == column ? 16 : 1));
    double offered = 1;
    for (const auto &s : sizes) offered *= static_cast<double>(s.size());
    EXPECT_LE(offered, 100'000) << "the search would thin the sizes";
    const NestRuns runs(nest, 64);
    TileBounds bounds(nest, m, false);
    const int64_t required = required_tiles(nest, m);
    double least = std::numeric_limits<double>::infinity();
    std::vector<size_t> choice(n, 0);
    for (;;) {
        std::vector<int64_t> tile;
        for (size_t l = 0; l < n; l++) tile.push_back(sizes[l][choice[l]]);
        std::vector<size_t> inter, intra;
        for (size_t l = 0; l < n; l++) {
            if (tile[l] < nest.loops[l].bound) inter.push_back(l);
            if (tile[l] > 1) intra.push_back(l);
        }
        do {
            if (inter.empty() ? required > 1 : !may_lead(nest, tile, inter[0], required)) continue;
            do {
                if (intra.size() > 1 && (intra[0] == column || intra.back() != column)) continue;
                bool fits = true;
                size_t rows = 0;
                for (size_t i = intra.size(); i-- > 0 && rows < 2;) {
                    if (intra[i] == column) continue;
                    fits = fits && tile[intra[i]] <= bounds.largest(intra[i], rows++, tile);
                }
                const Tiling t = make_tiling(nest, tile, inter, intra);
                if (!fits || !keeps_order(nest, t)) continue;
                const TileCost cost = tile_cost(runs, t, m);
                if (cost.l1_working_set_bytes > usable_bytes(m, 0) ||
                    working_set_bytes(runs, tile) > usable_bytes(m, 1)) {
                    continue;
                }
                least = std::min(least, cost.cycles);
            } while (std::next_permutation(intra.begin(), intra.end()));
        } while (std::next_permutation(inter.begin(), inter.end()));
        size_t l = 0;
        while (l < n && ++choice[l] == sizes[l].size()) choice[l++] = 0;
        if (l == n) return least;
    }
}

TEST(TemporalOptimizer, FindsTheLeastOfAllTilesAndPermutations) {
    for (const int threads : {1, 4}) {
        const Machine m = tiny_machine(threads);
        for (const PerfectNest &nest :
             {matmul(24, 80, 36), matmul(17, 49, 23), matmul(64, 16, 5), doitgen(5, 9, 32)}) {
            const LocalityPlan plan = planned(nest, m);
            EXPECT_DOUBLE_EQ(plan.cost.cycles, least_cycles(nest, m)) << threads;
        }
    }
}

TEST(TemporalOptimizer, KeepsLoopsInOrderThatMustStay) {
    PerfectNest nest = doitgen(24, 20, 32);
    nest.loops[1].reorderable = false;
    planned(nest, tiny_machine(4));
    nest.loops[2].reorderable = nest.loops[2].parallelizable = false;
    const LocalityPlan plan = planned(nest, tiny_machine(4));
    EXPECT_EQ(plan.tiling.levels[0].loop, 3u);
    for (NestLoop &l : nest.loops) l.reorderable = l.parallelizable = l.vectorizable = false;
    const Result<LocalityPlan> all = optimize_temporal(nest, tiny_machine(4));
    if (all.ok()) {
        EXPECT_TRUE(keeps_order(nest, all->tiling));
        EXPECT_EQ(all->vector_loop, std::nullopt);
        EXPECT_EQ(all->parallel_levels, 0u);
    }
}

// A larger cache can hold whatever a smaller one can.
TEST(TemporalOptimizer, LargerCachesDoNotCostMore) {
    double last = std::numeric_limits<double>::infinity();
    for (const int64_t ways : {4, 8, 16, 32}) {
        Machine m = i7_6700();
        m.caches[0].ways *= static_cast<int>(ways);
        m.caches[0].size_bytes *= ways;
        m.caches[1].ways *= static_cast<int>(ways);
        m.caches[1].size_bytes *= ways;
        const double cycles = planned(matmul(600, 700, 800), m).cost.cycles;
        EXPECT_LE(cycles, last);
        last = cycles;
    }
}

TEST(TemporalOptimizer, BadInputIsAnError) {
    PerfectNest nest = matmul(8, 8, 8);
    nest.loops[0].bound = -1;
    ASSERT_FALSE(optimize_temporal(nest, i7_6700()).ok());
    EXPECT_NE(optimize_temporal(nest, i7_6700()).error().message.find("loop j"), std::string::npos);
    Machine m = i7_6700();
    m.caches.resize(1);
    EXPECT_NE(optimize_temporal(matmul(8, 8, 8), m).error().message.find("i7 6700"),
              std::string::npos);
}

TEST(TemporalOptimizer, ANestThatFitsNowhereIsAnError) {
    Machine m = tiny_machine(1);
    m.caches[0].size_bytes = 64;
    m.caches[0].ways = 1;
    const Result<LocalityPlan> plan = optimize_temporal(matmul(64, 64, 64), m);
    ASSERT_FALSE(plan.ok());
    EXPECT_NE(plan.error().message.find("tiny"), std::string::npos);
}

// --- figure 4.1: from the class to the optimiser ---

TEST(PlanLocality, LeavesContiguousLoopsAsTheyAre) {
    const Result<LocalityPlan> plan = plan_locality(copy(4096, 4096), i7_6700());
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->locality, Locality::Contiguous);
    EXPECT_EQ(plan->tile, (std::vector<int64_t>{4096, 4096}));
    EXPECT_EQ(plan->tiling.first_intra, 0u);
    EXPECT_EQ(plan->parallel_levels, 1u);
    EXPECT_EQ(plan->vector_loop, 0u);
    EXPECT_TRUE(plan->nontemporal_stores);
}

TEST(PlanLocality, SendsEachClassToItsOptimiser) {
    const auto kind = [](const PerfectNest &nest) {
        const Result<LocalityPlan> plan = plan_locality(nest, i7_6700());
        EXPECT_TRUE(plan.ok());
        return plan.ok() ? plan->locality : Locality::Unoptimised;
    };
    EXPECT_EQ(kind(matmul(512, 512, 512)), Locality::Temporal);
    EXPECT_EQ(kind(transpose_and_mask(4096, 4096)), Locality::Spatial);
    EXPECT_EQ(kind(stencil(480, 640)), Locality::Unoptimised);
    EXPECT_FALSE(plan_locality(PerfectNest{}, i7_6700()).ok());
}

}  // namespace
}  // namespace cryolite::locality
