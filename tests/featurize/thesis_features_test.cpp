// The thesis's worked examples as features: its listings as schedules, its equations with their numbers put in.
#include <optional>

#include "featurize/features.h"
#include "featurize/thesis/equations.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::loop_over;

// L1 of 32 KB and L2 of 256 KB, eight ways each. Prefetchers as documented in machine.h.
Machine two_caches() {
    Machine m = test::some_machine();
    m.cores = 1;
    m.caches.clear();
    for (int64_t size : {32 << 10, 256 << 10, 8 << 20}) {
        CacheLevel c;
        c.size_bytes = size;
        c.ways = 8;
        c.core_bytes_per_cycle = c.total_bytes_per_cycle = 16;
        m.caches.push_back(c);
    }
    m.l1_prefetch_lines = 1;
    m.l2_prefetch_lines = 2;
    m.l2_prefetch_distance_lines = 20;
    return m;
}

struct ThesisFeatures : ::testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    Halide::Func out{"out"}, row{"row"};
    std::optional<BuiltGraph> built;
    std::optional<Features> features;
    Machine machine = two_caches();

    void schedule(const Trace &trace) {
        features = Featurizer(built->graph, machine).features(test::scheduled(built->graph, trace));
        EXPECT_FALSE(features->too_large());
    }
    double of(StageId s, Feature f) const { return features->row(s)[index(f)]; }
};

// Listing 4.1 with B_i = 512, B_j = B_k = 528 and tiles of i 128, j 48 and k 24. A tile takes 41 KB: L1 is reused by i,
// L2 by jj. Rows are 33 lines apart, so that they spread over all sets.
struct TiledProduct : ThesisFeatures {
    StageId update;

    void SetUp() override {
        RDom k(0, 528, "k");
        out(x, y) += a(k, y) * b(x, k);
        estimate(out, {528, 512});
        estimate(a, {528, 512});
        estimate(b, {528, 528});
        built.emplace(build({out}));
        update = func(*built, out).stages[1];
        schedule_tiles();
    }
    void schedule_tiles() {
        const Stage &s = built->graph.stage(update);
        const int16_t j = loop_over(s, 0), i = loop_over(s, 1), k = loop_over(s, -1);
        schedule({action::ComputeRoot{func(*built, out).id}, action::Tile{update, i, {128}},
                  action::Tile{update, j, {48}}, action::Tile{update, k, {24}},
                  action::Reorder{update,
                                  {{update, i, 0},
                                   {update, k, 0},
                                   {update, j, 0},
                                   {update, i, 1},
                                   {update, k, 1},
                                   {update, j, 1}}}});
    }
};

constexpr double misses_in_l1 = (128 + 128 + 24) * (512 / 128 * 528 / 48 * 528 / 24);
constexpr double misses_in_l2 = (128 * 11 + 128 + 24 * 11) * (512 / 128 * 528 / 24);

TEST_F(TiledProduct, MissesAsInEquations45And410) {
    EXPECT_DOUBLE_EQ(of(update, Feature::misses_l1), misses_in_l1);
    EXPECT_DOUBLE_EQ(of(update, Feature::misses_l2), misses_in_l2);
    EXPECT_DOUBLE_EQ(of(update, Feature::miss_cycles),
                     thesis::miss_cycles(machine, 0) * misses_in_l1 +
                         thesis::miss_cycles(machine, 1) * misses_in_l2);
    // Without a prefetcher it is every line of a run: 3 of C and B, 1.5 of A, and about half a line where runs start
    // inside of one.
    EXPECT_GT(of(update, Feature::misses_unstreamed_l1), 1.5 * misses_in_l1);
    EXPECT_LT(of(update, Feature::misses_unstreamed_l1), 3.5 * misses_in_l1);
}

TEST_F(TiledProduct, WithoutAPrefetcherEveryLineMisses) {
    machine.l1_prefetch_lines = 0;
    schedule_tiles();
    EXPECT_DOUBLE_EQ(of(update, Feature::misses_l1), of(update, Feature::misses_unstreamed_l1));
    EXPECT_DOUBLE_EQ(of(update, Feature::misses_l2), misses_in_l2);
}

TEST_F(TiledProduct, DistanceAsInEquation412) {
    EXPECT_DOUBLE_EQ(of(update, Feature::loop_distance), 11 * 22 + 11 * 128 + 128 * 24);
}

// One iteration of i touches 24 rows of B, of 192 bytes each. One iteration of jj touches 128 such rows of C.
TEST_F(TiledProduct, TheTileIsHeldAgainstAlgorithm1) {
    const auto most_rows = [&](size_t level) {
        return static_cast<double>(thesis::rows_without_interference(
            thesis::emulated_cache(machine, level), {0, 192, 528 * 4, 1 << 20}));
    };
    EXPECT_DOUBLE_EQ(of(update, Feature::interference_l1), 24 / most_rows(0));
    EXPECT_DOUBLE_EQ(of(update, Feature::interference_l2), 128 / most_rows(1));
}

TEST_F(TiledProduct, OneCacheOrNoneLeavesTheRestAtZero) {
    machine.caches.resize(1);
    schedule_tiles();
    EXPECT_GT(of(update, Feature::misses_l1), 0);
    EXPECT_EQ(of(update, Feature::misses_l2), 0);
    EXPECT_EQ(of(update, Feature::interference_l2), 0);
    EXPECT_EQ(of(update, Feature::spatial_cost_straight), 0);
    machine.caches.clear();
    schedule_tiles();
    EXPECT_EQ(of(update, Feature::misses_l1), 0);
    EXPECT_EQ(of(update, Feature::miss_cycles), 0);
    EXPECT_DOUBLE_EQ(of(update, Feature::loop_distance), 11 * 22 + 11 * 128 + 128 * 24);
}

// Listing 4.2 with B = 528 and tiles of x 48 and y 66.
TEST_F(ThesisFeatures, SpatialCostsAsInEquations415And417) {
    out(x, y) = a(y, x) + b(x, y);
    estimate(out, {528, 528});
    estimate(a, {528, 528});
    estimate(b, {528, 528});
    built.emplace(build({out}));
    const StageId s = func(*built, out).stages[0];
    schedule({action::ComputeRoot{func(*built, out).id}, action::Tile{s, 1, {66}},
              action::Tile{s, 0, {48}},
              action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}}});
    EXPECT_DOUBLE_EQ(of(s, Feature::spatial_cost_transposed), 528 * 528 / 66 * (48 / 16));
    EXPECT_DOUBLE_EQ(of(s, Feature::spatial_cost_straight), 528 * 528 / 48 * (48 / 16));
}

// The blur of figure 5.2 in tiles of 16 times 8: out is 512 by 64, row has two rows more.
struct TiledBlur : ThesisFeatures {
    FuncId o, r;
    StageId os, rs;
    static constexpr double tiles = 512 / 16 * (64 / 8);

    void SetUp() override {
        row(x, y) = a(x, y) + a(x + 1, y) + a(x + 2, y);
        out(x, y) = row(x, y) + row(x, y + 1) + row(x, y + 2);
        estimate(out, {512, 64});
        built.emplace(build({out}));
        o = func(*built, out).id;
        r = func(*built, row).id;
        os = func(*built, out).stages[0];
        rs = func(*built, row).stages[0];
    }
    Trace tiled() const {
        return {action::ComputeRoot{o}, action::Tile{os, 1, {8}}, action::Tile{os, 0, {16}},
                action::Reorder{os, {{os, 1, 0}, {os, 0, 0}, {os, 1, 1}, {os, 0, 1}}}};
    }
};

TEST_F(TiledBlur, OverlappingTiles) {
    Trace trace = tiled();
    trace.push_back(action::ComputeAt{r, {os, 0, 0}});
    schedule(trace);
    EXPECT_EQ(of(rs, Feature::unfolded_bytes), 16 * (8 + 2) * 4);  // (5.1)
    EXPECT_EQ(of(rs, Feature::window_bytes), 16 * (8 + 2) * 4);
    EXPECT_EQ(of(rs, Feature::recomputed_points), 16 * (8 + 2) * tiles - 512 * (64 + 2));  // (5.2)
    EXPECT_EQ(of(rs, Feature::recomputed_operations), 2 * (16 * (8 + 2) * tiles - 512 * (64 + 2)));
    EXPECT_EQ(of(rs, Feature::outside_loads), (16 + 2) * (8 + 2) * tiles);  // (5.5)
    EXPECT_EQ(of(rs, Feature::outside_loads_streamed), (8 + 2) * tiles);    // (5.6)
    EXPECT_EQ(of(rs, Feature::outside_bytes), (16 + 2) * (8 + 2) * 4);      // (5.7)
    EXPECT_EQ(of(rs, Feature::outside_window_bytes), (16 + 2) * (8 + 2) * 4);
    EXPECT_EQ(of(os, Feature::outside_loads), 0);
    EXPECT_EQ(of(os, Feature::recomputed_points), 0);
    // The tile is in L1 when out reads it: out misses by its stores alone, each of 8 rows once a tile.
    EXPECT_LE(of(os, Feature::misses_l1), 8 * tiles);
    // row's loops are parts of those around, and what stands between are the tiles' loops. 32 tiles, then 16 points.
    EXPECT_DOUBLE_EQ(of(rs, Feature::loop_distance), 32 + 10);
}

TEST_F(TiledBlur, SlidingWindowsInTiles) {
    Trace trace = tiled();
    trace.push_back(action::ComputeAt{r, {os, 1, 1}});
    trace.push_back(action::StoreAt{r, LoopName{os, 0, 0}});
    schedule(trace);
    EXPECT_EQ(of(rs, Feature::unfolded_bytes), 16 * (8 + 2) * 4);  // (5.8)
    EXPECT_EQ(of(rs, Feature::window_bytes), 16 * (1 + 2) * 4);    // (5.9)
    EXPECT_DOUBLE_EQ(of(rs, Feature::outside_loads), (16 + 2) * (8 + 2) * tiles);
    EXPECT_DOUBLE_EQ(of(rs, Feature::outside_loads_streamed), (8 + 2) * tiles);
    EXPECT_EQ(of(rs, Feature::outside_bytes), (16 + 2) * (8 + 2) * 4);         // (5.10)
    EXPECT_EQ(of(rs, Feature::outside_window_bytes), (16 + 2) * (1 + 2) * 4);  // (5.11)
}

// out also reads the first row: the window grows, and needs all that it is stored in.
struct GrowingWindow : ThesisFeatures {
    void SetUp() override {
        row(x, y) = a(x, y) + 1.0f;
        out(x, y) = row(x, 0) + row(x, y) + row(x, y + 1);
        estimate(out, {512, 64});
        built.emplace(build({out}));
        const FuncId r = func(*built, row).id;
        rs = func(*built, row).stages[0];
        schedule({action::ComputeRoot{func(*built, out).id},
                  action::ComputeAt{r, {func(*built, out).stages[0], 1, 0}},
                  action::StoreAt{r, std::nullopt}});
    }
    StageId rs;
};

TEST_F(GrowingWindow, NeedsAllOfItsRows) {
    EXPECT_EQ(of(rs, Feature::unfolded_bytes), 512 * (64 + 1) * 4);
    EXPECT_EQ(of(rs, Feature::window_bytes), 512 * (64 + 1) * 4);
}

// Rows are 32 lines apart. In L1 that is two places among 64 sets, with room for 8 rows each. In half of L2 it is
// 8 places. However much further apart they are, by whole rounds of the sets, they meet in the same ones.
TEST(RowLimits, AreThoseOfAlgorithm1) {
    thesis::RowLimits limits(two_caches());
    ASSERT_EQ(limits.caches(), 2u);
    for (int ask = 0; ask < 2; ask++) {
        EXPECT_EQ(limits.most_rows(0, 200, 2048), 16);
        EXPECT_EQ(limits.most_rows(1, 200, 2048), 64);
        EXPECT_EQ(limits.most_rows(0, 200, 2048 + 10 * 4096), 16);
    }
    for (int64_t pitch : {2112, 4000, 12345, 70000, 1 << 20})
        for (int64_t row : {1, 64, 65, 500})
            for (size_t level : {0, 1})
                EXPECT_EQ(
                    limits.most_rows(level, row, pitch),
                    static_cast<double>(thesis::rows_without_interference(
                        thesis::emulated_cache(two_caches(), level), {0, row, pitch, 1 << 20})));
}

TEST(ThesisEquations, ShortRunsOfLongRowsAreNotStreamed) {
    EXPECT_TRUE(thesis::is_streamed(64, 2048, 64));
    EXPECT_FALSE(thesis::is_streamed(12, 2048, 64));  // (5.13)
    EXPECT_TRUE(thesis::is_streamed(12, 12, 64));
}

}  // namespace
}  // namespace cryolite
