// Footprints, recomputation and loads: the equations of the thesis's section 5.3 with numbers, and
// recounts point by point for pipelines that the equations do not cover.
#include <gtest/gtest.h>

#include "reference/reuse/segment_cost.h"
#include "tests/reference/made_graph.h"

namespace cryolite {
namespace {

using namespace reuse;
using testing::GraphMaker;

constexpr double float_bytes = 4;

Options exact() {
    Options o;
    o.folds_to_powers_of_two = false;
    return o;
}

// Loops x and y of a two-dimensional output in the order of the thesis, innermost first.
TiledNest nest_of(const StageGraph &g, FuncId output, int64_t tile_x, int64_t tile_y,
                  bool y_innermost = false) {
    TiledNest n;
    n.stage = driver_of(g, output);
    n.ranges = g.func(output).root_region;
    n.tile = {tile_x, tile_y};
    if (y_innermost) {
        n.order = {{1, false}, {0, false}, {1, true}, {0, true}};
    } else {
        n.order = {{0, false}, {1, false}, {0, true}, {1, true}};
    }
    n.parallel_level = 3;
    return n;
}
constexpr int xi = 0, yi = 1, xo = 2;

// The blur of figure 5.1 on 64 x 48 pixels in tiles of 16 x 8: 4 x 6 = 24 tiles. Its Func blur_x of
// the fixture is the text's blurx, reading 3 pixels of a row; out reads 3 rows of it.
struct Blur : ::testing::Test {
    StageGraph g = testing::with_work(testing::blur_graph(64, 48), 1);
    SegmentRegions regions{g, testing::whole(g)};
    CacheBudget machine;

    SegmentCost cost(const TiledNest &nest, StageLevels levels, const Options &options = exact()) {
        return segment_cost(regions, nest, {levels}, machine, options);
    }
    TiledNest nest(int64_t tx = 16, int64_t ty = 8) {
        return nest_of(g, testing::find(g, "out"), tx, ty);
    }
};

TEST_F(Blur, OverlappedTilesStoreTheTileAndItsOverlap) {  // 5.1
    const StageCost c = cost(nest(), {false, xo, xo}).members[0];
    EXPECT_EQ(c.stored_bytes, 16 * (8 + 2) * float_bytes);
    EXPECT_EQ(c.folded_bytes, c.stored_bytes);
    EXPECT_FALSE(c.slides);
}

TEST_F(Blur, OverlappedTilesRecomputeTheOverlap) {  // 5.2 to 5.4
    const StageCost c = cost(nest(), {false, xo, xo}).members[0];
    EXPECT_EQ(c.computed_points, 16 * (8 + 2) * 24);   // 3,840
    EXPECT_EQ(c.root_points, 64 * (48 + 2));           // 3,200
    EXPECT_EQ(c.operations - c.root_operations, 640);  // 5.2
}

TEST_F(Blur, OverlappedTilesLoadTheTileOfTheInputAndBothOverlaps) {  // 5.5 to 5.7
    const StageCost c = cost(nest(), {false, xo, xo}).members[0];
    EXPECT_EQ(c.loads, (8 + 2) * 24);  // 5.6: rows
    EXPECT_EQ(c.input_bytes, (16 + 2) * (8 + 2) * float_bytes);
    Options without = exact();
    without.prefetcher = false;
    EXPECT_EQ(cost(nest(), {false, xo, xo}, without).members[0].loads,
              (16 + 2) * (8 + 2) * 24);  // 5.5: pixels, 4,320
}

TEST_F(Blur, SlidingWindowsComputeAsMuchAndStoreThreeRows) {  // 5.8 to 5.11
    const SegmentCost whole = cost(nest(), {false, yi, xo});
    const StageCost &c = whole.members[0];
    EXPECT_TRUE(c.slides);
    EXPECT_EQ(c.stored_bytes, 16 * (8 + 2) * float_bytes);
    EXPECT_EQ(c.folded_bytes, 3 * 16 * float_bytes);
    EXPECT_EQ(c.input_bytes, (16 + 2) * (8 + 2) * float_bytes);
    EXPECT_EQ(c.folded_input_bytes, 3 * (16 + 2) * float_bytes);
    EXPECT_EQ(c.computed_points, 16 * (8 + 2) * 24);
    EXPECT_EQ(c.loads, (8 + 2) * 24);
    EXPECT_EQ(whole.folded_bytes, c.folded_bytes);
    EXPECT_EQ(whole.unfolded_bytes, 0);
}

TEST_F(Blur, HalideFoldsToFourRows) {
    EXPECT_EQ(cost(nest(), {false, yi, xo}, Options{}).members[0].folded_bytes,
              4 * 16 * float_bytes);
    // Never to more than what is stored without folding.
    EXPECT_EQ(cost(nest(16, 1), {false, yi, xo}, Options{}).members[0].folded_bytes,
              3 * 16 * float_bytes);
}

TEST_F(Blur, FoldingMostLoadsColumnWise) {  // 5.12 and 5.13, figure 5.4
    const TiledNest nest = nest_of(g, testing::find(g, "out"), 16, 8, true);
    const int column = 0, across = 1;  // levels of yi and xi in this order
    const StageCost c = cost(nest, {false, column, across}).members[0];
    EXPECT_TRUE(c.slides);
    EXPECT_EQ(c.folded_bytes, 3 * float_bytes);
    EXPECT_EQ(c.computed_points, 16 * (8 + 2) * 24);
    EXPECT_EQ(c.loads, 3 * (8 + 2) * 16 * 24);  // 11,520
}

TEST_F(Blur, ComputedAtEveryRowWithoutAWindowComputesThreeRowsEachTime) {
    const StageCost c = cost(nest(), {false, yi, yi}).members[0];
    EXPECT_EQ(c.computed_points, 64 * 3 * 48);
    EXPECT_EQ(c.stored_bytes, 3 * 16 * float_bytes);
}

TEST_F(Blur, InlinedComputesAtEveryCall) {
    const StageCost c = cost(nest(), {true, 0, 0}).members[0];
    EXPECT_EQ(c.computed_points, 3 * 64 * 48);
    EXPECT_EQ(c.stored_bytes, 0);
    EXPECT_EQ(c.loads, 0);  // the output's now
    EXPECT_EQ(cost(nest(), {true, 0, 0}).output.loads, (8 + 2) * 24);
}

TEST_F(Blur, TheTotalIsWeightedLoadsAndRecomputation) {  // algorithm 6
    Options o = exact();
    o.load_weight = 10;
    // Loads of out from outside: none, blur_x is computed here.
    EXPECT_EQ(cost(nest(), {false, xo, xo}, o).total, 10 * 240 + 640);
}

// 64 x 48 in tiles of 24 x 10: 2 x 4 full ones, and rests of 16 columns and 8 rows.
TEST_F(Blur, TilesThatDoNotDivideCountAsTheyAre) {
    const double rows = 4 * (10 + 2) + (8 + 2);
    EXPECT_EQ(cost(nest(24, 10), {false, xo, xo}).members[0].computed_points, 64 * rows);
    EXPECT_EQ(cost(nest(24, 10), {false, yi, xo}).members[0].computed_points, 64 * rows);
    EXPECT_EQ(cost(nest(24, 10), {false, xo, xo}).members[0].loads, 3 * rows);
}

// --- tiled nests ---

TEST(TiledNest, PiecesCoverEveryPointOnce) {
    for (const int64_t extent : {1, 2, 7, 16, 31, 97}) {
        for (const int64_t tile : {1, 2, 5, 8, 16}) {
            for (const int64_t lanes : {1, 4, 8}) {
                TiledNest n;
                n.ranges = {{-3, -4 + extent}, {5, 11}};
                n.tile = {std::min(tile, extent), 3};
                n.order = {{0, false}, {1, false}, {0, true}, {1, true}};
                n.vector_level = 0;
                n.vector_width = lanes;
                for (int level = 0; level <= n.root_level(); level++) {
                    double covered = 0, iterations = 0;
                    for (const Piece &p : pieces(n, level)) {
                        covered += p.count * points(p.ranges);
                        iterations += p.count;
                        for (size_t l = 0; l < 2; l++) {
                            EXPECT_TRUE(n.ranges[l].contains(p.ranges[l]));
                            EXPECT_FALSE(p.ranges[l].empty());
                        }
                    }
                    EXPECT_EQ(covered, static_cast<double>(extent * 7)) << tile << " " << level;
                    EXPECT_GE(iterations, level == n.root_level() ? 1 : 0);
                    EXPECT_LE(iterations, level == n.root_level() ? 1 : covered);
                }
            }
        }
    }
}

TEST(TiledNest, AnIterationIsWhatItsPiecesSay) {
    TiledNest n;
    n.ranges = {{0, 99}, {0, 49}};
    n.tile = {32, 8};
    n.order = {{0, false}, {1, false}, {0, true}, {1, true}};
    n.vector_level = 0;
    n.vector_width = 8;
    EXPECT_EQ(n.iteration(0), (Intervals{{40, 47}, {27, 27}}));
    EXPECT_EQ(n.iteration(1), (Intervals{{32, 63}, {27, 27}}));
    EXPECT_EQ(n.iteration(1, 0), (Intervals{{32, 63}, {24, 24}}));
    EXPECT_EQ(n.iteration(2), (Intervals{{32, 63}, {24, 31}}));
    EXPECT_EQ(n.iteration(3), (Intervals{{0, 99}, {24, 31}}));
    EXPECT_EQ(n.iteration(4), n.ranges);
    EXPECT_EQ(n.extent(0), 4);
    EXPECT_EQ(n.extent(2), 4);
    EXPECT_EQ(n.extent(3), 7);
    EXPECT_EQ(n.tile_level(), 2);
}

// --- recounts ---

// out <- sharp (5 x 3 stencil) <- up (halves, two taps) <- coarse (3 taps every other point) <- in.
StageGraph resampled() {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 46}, {0, 30}});
    const FuncId sharp = make.func("sharp", {"x", "y"});
    const FuncId up = make.func("up", {"x", "y"});
    const FuncId coarse = make.func("coarse", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, sharp, {{0, -1, 1}, {1, 0, 1}});
    make.reads(out, up, {{0}, {1}});
    make.reads(sharp, up, {{0, -2, 2}, {1, -1, 1}});
    make.reads(up, coarse, {{0, 0, 1, 1, 2}, {1, 0, 1, 1, 2}});
    make.reads(coarse, in, {{0, -1, 1, 2}, {1, -1, 1, 2}});
    return testing::with_work(make.finish(), 3);
}

// A transposed reader: out(x, y) needs turned(y..y+1, x).
StageGraph transposed() { return testing::with_work(testing::transpose_graph(), 2); }

struct Recount : ::testing::TestWithParam<std::pair<int64_t, int64_t>> {};

// Overlapped tiles: every tile's points of every Func, enumerated.
TEST_P(Recount, OverlappedTilesOfChainsDiamondsAndPyramids) {
    const auto [tx, ty] = GetParam();
    for (const StageGraph &g :
         {resampled(), transposed(), testing::with_work(testing::pyramid_graph(40), 2)}) {
        const Segment segment = testing::whole(g);
        const SegmentRegions regions(g, segment);
        const TiledNest nest = nest_of(g, segment.output, tx, ty);
        const std::vector<StageLevels> levels(segment.members.size(), {false, xo, xo});
        const SegmentCost cost = segment_cost(regions, nest, levels, CacheBudget{}, exact());
        std::map<FuncId, double> computed, largest;
        for (int64_t y = nest.ranges[1].min; y <= nest.ranges[1].max; y += ty) {
            for (int64_t x = nest.ranges[0].min; x <= nest.ranges[0].max; x += tx) {
                const auto needed =
                    testing::points_needed(g, nest.stage,
                                           {{x, std::min(x + tx - 1, nest.ranges[0].max)},
                                            {y, std::min(y + ty - 1, nest.ranges[1].max)}});
                for (const auto &[f, points] : needed) {
                    computed[f] += static_cast<double>(points.size());
                    largest[f] = std::max(largest[f], static_cast<double>(points.size()));
                }
            }
        }
        for (size_t i = 0; i < segment.members.size(); i++) {
            const Func &f = g.func(segment.members[i]);
            // A box may hold points that nobody reads (every other one of a pyramid); and a tile of
            // odd length needs one more or less depending on where it starts.
            EXPECT_GE(cost.members[i].computed_points * 1.12, computed[f.id]) << f.name;
            EXPECT_LE(cost.members[i].computed_points, computed[f.id] * 1.12) << f.name;
            if (tx % 2 == 0 && ty % 2 == 0 && nest.ranges[0].extent() % tx == 0) {
                EXPECT_EQ(cost.members[i].stored_bytes, largest[f.id] * float_bytes) << f.name;
            }
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Tiles, Recount,
                         ::testing::Values(std::pair<int64_t, int64_t>{8, 4},
                                           std::pair<int64_t, int64_t>{10, 10},
                                           std::pair<int64_t, int64_t>{7, 5},
                                           std::pair<int64_t, int64_t>{13, 31}));

// Of a chain of windows each keeps its own overlap only, and each computes what all further ones
// need.
TEST(Windows, OfAChainComputeEachRowOncePerTile) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 47}});
    const FuncId a = make.func("a", {"x", "y"});
    const FuncId b = make.func("b", {"x", "y"});
    const FuncId c = make.func("c", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, a, {{0}, {1, -1, 1}});
    make.reads(a, b, {{0}, {1, -2, 2}});
    make.reads(b, c, {{0}, {1, 0, 1}});
    make.reads(c, in, {{0}, {1}});
    const StageGraph g = testing::with_work(make.finish(), 3);
    const SegmentRegions regions(g, testing::whole(g));
    const TiledNest nest = nest_of(g, out, 16, 8);
    const std::vector<StageLevels> levels(3, {false, yi, xo});
    const SegmentCost cost = segment_cost(regions, nest, levels, CacheBudget{}, exact());
    EXPECT_EQ(cost.members[0].computed_points, 24 * 16 * (8 + 2));
    EXPECT_EQ(cost.members[1].computed_points, 24 * 16 * (8 + 2 + 4));
    EXPECT_EQ(cost.members[2].computed_points, 24 * 16 * (8 + 2 + 4 + 1));
    EXPECT_EQ(cost.members[0].folded_bytes, 16 * 3 * float_bytes);
    EXPECT_EQ(cost.members[1].folded_bytes, 16 * 5 * float_bytes);
    EXPECT_EQ(cost.members[2].folded_bytes, 16 * 2 * float_bytes);
    EXPECT_EQ(cost.folded_bytes, 16 * 10 * float_bytes);
}

// b is needed row by row by a window of the same loop: it computes one row an iteration, also while
// the window fills.
TEST(Windows, FeedersFollowThemWhileTheyFill) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 47}});
    const FuncId a = make.func("a", {"x", "y"});
    const FuncId b = make.func("b", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, a, {{0}, {1, -1, 1}});
    make.reads(a, b, {{0, -1, 1}, {1}});
    make.reads(b, in, {{0}, {1}});
    const StageGraph g = testing::with_work(make.finish(), 3);
    const SegmentRegions regions(g, testing::whole(g));
    const SegmentCost cost =
        segment_cost(regions, nest_of(g, out, 16, 8), {{false, yi, xo}, {false, yi, yi}},
                     CacheBudget{}, exact());
    EXPECT_EQ(cost.members[1].computed_points, 24 * (16 + 2) * (8 + 2));
    EXPECT_EQ(cost.members[1].stored_bytes, (16 + 2) * 1 * float_bytes);
    EXPECT_EQ(cost.members[1].loads, 24 * (8 + 2));
}

// coarse(y) is read at y / 2: a window that moves at every other row.
TEST(Windows, SlideAlongHalvedRows) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 63}});
    const FuncId coarse = make.func("coarse", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, coarse, {{0}, {1, 0, 1, 1, 2}});
    make.reads(coarse, in, {{0}, {1}});
    const StageGraph g = testing::with_work(make.finish(), 3);
    const SegmentRegions regions(g, testing::whole(g));
    const SegmentCost cost =
        segment_cost(regions, nest_of(g, out, 16, 16), {{false, yi, xo}}, CacheBudget{}, exact());
    EXPECT_TRUE(cost.members[0].slides);
    EXPECT_EQ(cost.members[0].computed_points, 4 * 4 * 16 * (8 + 1));
    EXPECT_LE(cost.members[0].folded_bytes, 16 * 2 * float_bytes);
}

// --- budgets ---

TEST(CacheBudget, AThreadHasItsShareOfASharedCache) {
    Machine m;
    m.caches.resize(3);
    m.caches[1].size_bytes = 256 << 10;
    m.caches[1].cores_sharing = 1;
    m.caches[2].size_bytes = 8 << 20;
    m.caches[2].cores_sharing = 8;
    EXPECT_EQ(cache_budget(m, 8).l2_bytes, 256 << 10);
    EXPECT_EQ(cache_budget(m, 8).last_level_bytes, 1 << 20);
    EXPECT_EQ(cache_budget(m, 1).last_level_bytes, 8 << 20);
    EXPECT_EQ(cache_budget(Machine{}, 0).threads, 1);
}

TEST(Fits, FoldedBuffersGoToTheLastLevelAndOthersToL2) {
    CacheBudget m;
    m.l2_bytes = 100;
    m.last_level_bytes = 1000;
    SegmentCost c;
    c.folded_bytes = 1000;
    c.unfolded_bytes = 100;
    EXPECT_TRUE(fits(c, m));
    c.unfolded_bytes = 101;
    EXPECT_FALSE(fits(c, m));
    c.unfolded_bytes = 100;
    c.folded_bytes = 1001;
    EXPECT_FALSE(fits(c, m));
}

}  // namespace
}  // namespace cryolite
