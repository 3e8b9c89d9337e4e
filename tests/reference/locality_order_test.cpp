// Equations (4.12) and (4.13), and the second step of algorithm 2 against all permutations.
#include "reference/locality/loop_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "tests/reference/locality_nests.h"

namespace cryolite::locality {
namespace {

using namespace testing;

// B_i, B_j, B_k = 256, 512, 384 and T_i, T_j, T_k = 32, 64, 16, as listing 4.1 orders them.
TEST(LoopDistance, OfTiledMatmul) {
    const PerfectNest nest = matmul(256, 512, 384);
    const std::vector<int64_t> tile{64, 16, 32};
    const std::vector<size_t> order{mm_i, mm_k, mm_j};
    // (4.12): B_j B_k / (T_j T_k) + B_j T_i / T_j + T_i T_k.
    EXPECT_EQ(loop_distance(nest, make_tiling(nest, tile, order, order)),
              8 * 24 + 8 * 32 + 32 * 16);
    // A loop that is not split has no distance, and stands between the others' parts once.
    const std::vector<int64_t> whole_j{512, 16, 32};
    EXPECT_EQ(loop_distance(nest, make_tiling(nest, whole_j, order, order)), 24 + 32);
    EXPECT_EQ(loop_distance(nest, untiled(nest)), 0);
}

// Two tiles of one loop inside each other: 128 x 32 of x, 16 of y.
TEST(LoopDistance, OfTilesOfTilesCountsBothSplits) {
    const PerfectNest nest = copy(64, 1024);
    const Tiling tiling{{{0, 128}, {1, 16}, {0, 32}, {1, 1}, {0, 1}}, 2};
    EXPECT_EQ(loop_distance(nest, tiling), 4 /* x: y */ + 4 /* y: x */ + 16 /* x: y */);
}

// (4.13).
TEST(FeedsThreads, WhenEveryOneHasATile) {
    EXPECT_TRUE(feeds_threads(2048, 256, 8));
    EXPECT_FALSE(feeds_threads(2048, 256, 12));
    EXPECT_TRUE(feeds_threads(2048, 187, 11));  // 10 tiles and a part
    EXPECT_FALSE(feeds_threads(1, 1, 2));
}

TEST(RequiredTiles, AreNoMoreThanTheLongestParallelLoopHas) {
    EXPECT_EQ(required_tiles(matmul(2048, 2048, 2048), i7_5930k()), 12);
    EXPECT_EQ(required_tiles(matmul(5, 2048, 2048), i7_5930k()), 5);   // k may not, j should not
    EXPECT_EQ(required_tiles(matmul(1, 2048, 2048), i7_5930k()), 12);  // j is all there is
}

TEST(MayLead, TheColumnMayNotWhereAnotherLoopCan) {
    const PerfectNest nest = matmul(64, 64, 64);
    const std::vector<int64_t> tile{16, 4, 4};
    EXPECT_TRUE(may_lead(nest, tile, mm_i, 8));
    EXPECT_FALSE(may_lead(nest, tile, mm_k, 8));  // a reduction
    EXPECT_TRUE(may_lead(nest, tile, mm_k, 1));
    EXPECT_FALSE(may_lead(nest, tile, mm_j, 4));
    EXPECT_TRUE(may_lead(matmul(1, 64, 64), std::vector<int64_t>{16, 4, 1}, mm_j, 4));
}

// All orders that the wish allows, one by one.
std::optional<double> least_distance(const PerfectNest &nest, const std::vector<int64_t> &tile,
                                     const OrderWish &wish) {
    std::vector<size_t> inter, intra;
    for (size_t l = 0; l < tile.size(); l++) {
        if (tile[l] < nest.loops[l].bound) inter.push_back(l);
        if (tile[l] > 1) intra.push_back(l);
    }
    const size_t column = column_loop(nest);
    std::optional<double> least;
    do {
        const bool may = inter.empty() ? wish.required_tiles <= 1
                                       : may_lead(nest, tile, inter[0], wish.required_tiles);
        if (!may || (wish.innermost_inter && inter.back() != *wish.innermost_inter)) continue;
        do {
            if (wish.outermost_intra && intra.front() != *wish.outermost_intra) continue;
            const auto at = std::find(intra.begin(), intra.end(), column);
            if (at != intra.end() && wish.outermost_intra != column && at + 1 != intra.end())
                continue;
            const Tiling t = make_tiling(nest, tile, inter, intra);
            if (!keeps_order(nest, t)) continue;
            const double d = loop_distance(nest, t);
            if (!least || d < *least) least = d;
        } while (std::next_permutation(intra.begin(), intra.end()));
    } while (std::next_permutation(inter.begin(), inter.end()));
    return least;
}

TEST(NearestOrder, IsTheLeastOfAllPermutations) {
    Random random(1);
    int found = 0;
    for (int i = 0; i < 400; i++) {
        std::vector<std::pair<std::string, int64_t>> names;
        const size_t loops = 2 + random.below(4);
        for (size_t l = 0; l < loops; l++)
            names.emplace_back("l" + std::to_string(l), random.between(2, 40));
        PerfectNest nest = NestMaker(names).array("out", Use::Write, {{40, {{0, 1}}}}).nest;
        std::vector<int64_t> tile;
        for (size_t l = 0; l < loops; l++) {
            tile.push_back(random.between(1, nest.loops[l].bound));
            nest.loops[l].parallelizable = random.chance(0.7);
            if (random.chance(0.3))
                nest.loops[l].reorderable = nest.loops[l].parallelizable = false;
        }
        OrderWish wish;
        wish.required_tiles = random.between(1, 3);
        for (size_t l = 0; l < loops; l++) {
            if (tile[l] < nest.loops[l].bound && random.chance(0.3)) wish.innermost_inter = l;
            if (tile[l] > 1 && random.chance(0.3)) wish.outermost_intra = l;
        }
        const std::optional<Tiling> best = nearest_order(nest, tile, wish);
        const std::optional<double> least = least_distance(nest, tile, wish);
        ASSERT_EQ(best.has_value(), least.has_value()) << i;
        if (!best) continue;
        EXPECT_DOUBLE_EQ(loop_distance(nest, *best), *least) << i;
        found++;
    }
    EXPECT_GT(found, 100);
}

TEST(KeepsOrder, OfLoopsThatMayNotChangePlaces) {
    PerfectNest nest = matmul(8, 64, 64);
    nest.loops[mm_k].reorderable = nest.loops[mm_i].reorderable = false;  // i outside of k
    const std::vector<int64_t> tile{16, 4, 2};
    const std::vector<size_t> order{mm_i, mm_k, mm_j};
    EXPECT_FALSE(keeps_order(nest, make_tiling(nest, tile, order, order)));  // k, then i within
    const std::vector<int64_t> split_once{16, 4, 1};
    EXPECT_TRUE(keeps_order(nest, make_tiling(nest, split_once, order, order)));
    const std::vector<size_t> turned{mm_k, mm_i, mm_j};
    EXPECT_FALSE(keeps_order(nest, make_tiling(nest, split_once, turned, order)));
}

TEST(ParallelLevels, MergeWhatIsOutsideOfTheLoopThatReusesL2) {
    const PerfectNest nest = conv_layer(16, 64, 64, 256, 256, 3);
    //                               x  kx ky c  y  o  n
    const std::vector<int64_t> tile{64, 3, 3, 4, 8, 2, 1};
    const std::vector<size_t> intra{6, 5, 4, 3, 2, 1, 0};
    const auto merged = [&](const std::vector<size_t> &inter) {
        return parallel_levels(nest, make_tiling(nest, tile, inter, intra));
    };
    EXPECT_EQ(merged({6, 5, 4, 0, 3, 2, 1}), 4u);  // n, o, y, x; c is a reduction
    EXPECT_EQ(merged({6, 3, 5, 4, 0, 2, 1}), 1u);
    EXPECT_EQ(merged({3, 6, 5, 4, 0, 2, 1}), 0u);
    EXPECT_EQ(merged({3, 2, 1, 6, 5, 4, 0}), 0u);
    EXPECT_EQ(parallel_levels(nest, untiled(nest)), 1u);
    EXPECT_EQ(parallel_levels(copy(1, 64), untiled(copy(1, 64))), 1u);
}

}  // namespace
}  // namespace cryolite::locality
