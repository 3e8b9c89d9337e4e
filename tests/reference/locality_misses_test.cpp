// Equations (4.1) to (4.11), (4.18) and (4.19) with their numbers written out, then other orders,
// other accesses, and what must hold of all.
#include "reference/locality/tile_misses.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/reference/locality_nests.h"

namespace cryolite::locality {
namespace {

using namespace testing;

constexpr int line = 64;

// B_i, B_j, B_k = 256, 512, 384 and T_i, T_j, T_k = 32, 64, 16: 8, 8 and 24 tiles of floats, l_c =
// 16.
struct TiledMatmul : ::testing::Test {
    PerfectNest nest = matmul(256, 512, 384);
    NestRuns runs{nest, line};
    const std::vector<int64_t> tile{64, 16, 32};  // j, k, i

    Tiling ordered(std::vector<size_t> inter, std::vector<size_t> intra) {
        return make_tiling(nest, tile, inter, intra);
    }
    Tiling listing = ordered({mm_i, mm_k, mm_j}, {mm_i, mm_k, mm_j});
    // One iteration of the loop i within the tile.
    std::vector<int64_t> row_box = box_of(nest, listing, l1_reuse_level(listing));
};

TEST_F(TiledMatmul, LoopsReuseWhereTheThesisSays) {
    EXPECT_EQ(listing.levels[static_cast<size_t>(l1_reuse_level(listing))], (NestLevel{mm_i, 1}));
    EXPECT_EQ(listing.levels[static_cast<size_t>(l2_reuse_level(listing))], (NestLevel{mm_j, 64}));
    EXPECT_EQ(row_box, (std::vector<int64_t>{64, 16, 1}));
    EXPECT_EQ(box_of(nest, listing, l2_reuse_level(listing)), tile);
}

TEST_F(TiledMatmul, WorkingSets) {
    EXPECT_EQ(working_set_bytes(runs, row_box), 4 * (64 + 16 + 64 * 16));         // (4.1)
    EXPECT_EQ(working_set_bytes(runs, tile), 4 * (64 * 32 + 16 * 32 + 64 * 16));  // (4.6)
}

TEST_F(TiledMatmul, ColdMisses) {
    EXPECT_EQ(cold_misses(runs, row_box, false), 4 + 1 + 64);  // (4.2)
    EXPECT_EQ(cold_misses(runs, row_box, true), 1 + 1 + 16);   // (4.3)
    EXPECT_EQ(cold_misses(runs, tile, false), 128 + 32 + 64);  // (4.7)
    EXPECT_EQ(cold_misses(runs, tile, true), 32 + 32 + 16);    // (4.8)
}

TEST_F(TiledMatmul, MissesOfTheNest) {
    // (4.5): (T_i + T_i + T_k) * 8 * 8 * 24.
    EXPECT_EQ(expected_misses(runs, listing, l1_reuse_level(listing), true), 80 * 1536);
    // (4.10): (T_i * 8 + T_i + T_k * 8) * 8 * 24.
    EXPECT_EQ(expected_misses(runs, listing, l2_reuse_level(listing), true), 416 * 192);
}

TEST_F(TiledMatmul, TotalCost) {
    const Machine m = i7_6700();
    const TileCost cost = tile_cost(runs, listing, m);
    EXPECT_EQ(cost.l1_working_set_bytes, 4416);
    EXPECT_EQ(cost.l2_working_set_bytes, 14336);
    // (4.11): a line from L2 at 32 and from L3 at 16 bytes per cycle.
    EXPECT_DOUBLE_EQ(cost.cycles, 1.2 * (64 / 32.0 * 80 * 1536 + 64 / 16.0 * 416 * 192));
}

// Reuse in k: C stays, a row of B passes, and A moves along its rows by an element at a time.
TEST_F(TiledMatmul, AnotherOrderReusesAnotherArray) {
    const Tiling tiling = ordered({mm_i, mm_j, mm_k}, {mm_k, mm_i, mm_j});
    EXPECT_EQ(working_set_bytes(runs, box_of(nest, tiling, l1_reuse_level(tiling))),
              32 * 64 * 4 + 32 * line + 64 * 4);
    EXPECT_EQ(expected_misses(runs, tiling, l1_reuse_level(tiling), true),
              (32 + 32 * (1 + 15 / 16.0) + 16) * 1536);
    EXPECT_EQ(expected_misses(runs, tiling, l2_reuse_level(tiling), true),
              (32 + 32 * 24 + 16 * 24) * 64);
}

TEST_F(TiledMatmul, WithoutPrefetchersEveryLineIsAMiss) {
    EXPECT_EQ(expected_misses(runs, listing, l1_reuse_level(listing), false),
              (32 * 4 + 32 * 1 + 16 * 4) * 1536);
    Machine m = i7_6700();
    m.l1_prefetch_lines = m.l2_prefetch_lines = 0;
    EXPECT_EQ(tile_cost(runs, listing, m).l2_misses, (128 * 8 + 32 + 64 * 8) * 192);
}

// 1021 = 31 * 32 + 29: what i moves shrinks in the last tile, what it does not move comes 32 times.
TEST(ExpectedMisses, ThePartOfATileAtTheEndOfAPrimeBound) {
    const PerfectNest nest = matmul(1021, 64, 16);
    const NestRuns runs(nest, line);
    const std::vector<int64_t> tile{64, 16, 32};
    const std::vector<size_t> order{mm_i, mm_k, mm_j};
    const Tiling tiling = make_tiling(nest, tile, order, order);
    EXPECT_DOUBLE_EQ(expected_misses(runs, tiling, l1_reuse_level(tiling), true),
                     1021 + 1021 + 16 * 32);
    // i is the only loop between tiles: B stays.
    EXPECT_DOUBLE_EQ(expected_misses(runs, tiling, l2_reuse_level(tiling), true), 1021 + 1021 + 16);
}

TEST(ExpectedMisses, OfANestThatIsOneTileAreCold) {
    const PerfectNest nest = matmul(8, 64, 16);
    const NestRuns runs(nest, line);
    const Tiling tiling = untiled(nest);
    EXPECT_EQ(l2_reuse_level(tiling), -1);
    EXPECT_EQ(expected_misses(runs, tiling, -1, true), 8 + 8 + 16);
}

// (4.18), (4.19): T_x = 32, T_y = 128; `out` is stored past the caches.
TEST(WorkingSet, OfTransposeAndMask) {
    const PerfectNest nest = transpose_and_mask(2048, 1024);
    const NestRuns runs(nest, line, true);
    const std::vector<int64_t> tile{32, 128};
    const std::vector<size_t> order{tm_y, tm_x};
    const Tiling tiling = make_tiling(nest, tile, order, order);
    EXPECT_EQ(working_set_bytes(runs, box_of(nest, tiling, l1_reuse_level(tiling))),
              4 * (16 * 32 + 32));
    EXPECT_EQ(working_set_bytes(runs, tile), 4 * (2 * 32 * 128));
    EXPECT_EQ(NestRuns(nest, line).references().size(), 3u);
}

// --- runs: what a row is ---

Runs runs_of(const PerfectNest &nest, size_t reference, const std::vector<int64_t> &box) {
    return ReferenceRuns(nest, nest.references[reference], line).over(box);
}

TEST(Runs, AStencilWidensTheBox) {
    const Runs r = runs_of(stencil(480, 640), 1, {64, 8});
    EXPECT_EQ(r.count, 8 + 2);  // equation (6) of the TACO article
    EXPECT_EQ(r.bytes, 4 * (64 + 2));
}

TEST(Runs, LoopsAlongTheSameDimensionOverlap) {
    const PerfectNest nest = conv_layer(16, 64, 64, 256, 256, 3);
    //             x  kx ky c  y  o  n
    const Runs in = runs_of(nest, 1, {64, 3, 3, 4, 8, 2, 1});
    EXPECT_EQ(in.count, (8 + 2) * 4);
    EXPECT_EQ(in.bytes, 4 * (64 + 2));
    // The 9 taps of a channel lie in a row: 36 bytes, and the next channel's within a line of it.
    const Runs w = runs_of(nest, 2, {64, 3, 3, 4, 8, 2, 1});
    EXPECT_EQ(w.count, 2);
    EXPECT_EQ(w.bytes, 4 * 36);
}

TEST(Runs, OffsetsFarApartAreRunsOfTheirOwn) {
    const PerfectNest nest = NestMaker({{"x", 512}})
                                 .array("out", Use::Write, {{512, {{0, 1}}}})
                                 .array("A", Use::Read, {{1024, {{0, 1}}, 512}}, 2)
                                 .nest;
    const Runs r = runs_of(nest, 1, {64});
    EXPECT_EQ(r.count, 2);
    EXPECT_EQ(r.bytes, 4 * 64);
}

TEST(Runs, InterleavedPixelsLieInOneRow) {
    const PerfectNest nest =
        NestMaker({{"x", 640}, {"y", 480}, {"c", 3}})
            .array("out", Use::Write, {{640, {{0, 1}}}, {480, {{1, 1}}}, {3, {{2, 1}}}})
            .array("A", Use::Read, {{3, {{2, 1}}}, {640, {{0, 1}}}, {480, {{1, 1}}}})
            .nest;
    const Runs r = runs_of(nest, 1, {64, 8, 3});
    EXPECT_EQ(r.count, 8);
    EXPECT_EQ(r.bytes, 4 * 3 * 64);
}

TEST(Runs, AnIndexThatIsFlattenedByHandHasRowsToo) {
    const PerfectNest nest = NestMaker({{"x", 640}, {"y", 480}})
                                 .array("out", Use::Write, {{640 * 480, {{0, 1}, {1, 640}}}})
                                 .nest;
    const Runs r = runs_of(nest, 0, {64, 8});
    EXPECT_EQ(r.count, 8);
    EXPECT_EQ(r.bytes, 4 * 64);
    EXPECT_EQ(runs_of(nest, 0, {640, 8}).count, 1);
}

TEST(Runs, StridesOfALineAndMorePartARow) {
    const PerfectNest nest = NestMaker({{"x", 100}})
                                 .array("out", Use::Write, {{100, {{0, 1}}}})
                                 .array("A", Use::Read, {{200, {{0, 2}}}})
                                 .array("B", Use::Read, {{3200, {{0, 32}}}})
                                 .array("C", Use::Read, {{50, {{0, 0.5}}}})
                                 .nest;
    EXPECT_EQ(runs_of(nest, 1, {10}).count, 1);
    EXPECT_EQ(runs_of(nest, 1, {10}).bytes, 4 * 19);
    EXPECT_EQ(runs_of(nest, 2, {10}).count, 10);
    EXPECT_EQ(runs_of(nest, 2, {10}).bytes, 4);
    EXPECT_EQ(runs_of(nest, 3, {11}).bytes, 4 * 6);
}

TEST(Runs, AGatherTouchesALinePerIterationButNoMoreThanThereAre) {
    const PerfectNest nest = NestMaker({{"x", 640}, {"y", 480}})
                                 .array("out", Use::Write, {{640, {{0, 1}}}, {480, {{1, 1}}}})
                                 .gather("table", 256, {0, 1})
                                 .gather("of_y", 1 << 20, {1})
                                 .nest;
    EXPECT_EQ(runs_of(nest, 1, {2, 3}).count, 6);
    EXPECT_EQ(runs_of(nest, 1, {64, 8}).count, 16);  // 1 KB
    EXPECT_EQ(runs_of(nest, 2, {64, 8}).count, 8);
    const std::vector<int64_t> box{64, 8};
    const ReferenceRuns table(nest, nest.references[1], line);
    EXPECT_EQ(table.renewed(0, 64, box, true), 1);
    EXPECT_EQ(ReferenceRuns(nest, nest.references[2], line).renewed(0, 64, box, true), 0);
}

TEST(Runs, OfAScalarAreOneElement) {
    const PerfectNest nest = NestMaker({{"x", 640}}).array("sum", Use::Both, {}).nest;
    EXPECT_EQ(runs_of(nest, 0, {640}).count, 1);
    EXPECT_EQ(runs_of(nest, 0, {640}).bytes, 4);
}

// A window that slides down by a row keeps all rows but one.
TEST(Runs, OverlappingBoxesRenewTheirDifference) {
    const PerfectNest nest = stencil(480, 640);
    const ReferenceRuns a(nest, nest.references[1], line);
    EXPECT_DOUBLE_EQ(a.renewed(1, 1, std::vector<int64_t>{64, 1}, true), 1 / 3.0);
    EXPECT_DOUBLE_EQ(a.renewed(1, 8, std::vector<int64_t>{64, 8}, true), 0.8);
    EXPECT_DOUBLE_EQ(a.renewed(0, 4, std::vector<int64_t>{4, 8}, true), 0.25);
    EXPECT_DOUBLE_EQ(a.renewed(0, 64, std::vector<int64_t>{64, 8}, true), 1);
}

// --- properties, on random nests ---

struct RandomTiling {
    PerfectNest nest;
    std::vector<int64_t> tile;
    std::vector<size_t> inter, intra;

    Tiling tiling() const { return make_tiling(nest, tile, inter, intra); }
};

RandomTiling random_tiling(Random &random) {
    const auto number = [&](int64_t low, int64_t high) { return random.between(low, high); };
    const auto loops = static_cast<size_t>(number(1, 4));
    std::vector<std::pair<std::string, int64_t>> names;
    for (size_t l = 0; l < loops; l++) names.emplace_back("l" + std::to_string(l), number(1, 97));
    NestMaker make(names);
    RandomTiling t;
    for (int64_t a = number(1, 3); a >= 0; a--) {
        std::vector<Dim> dims;
        for (int64_t d = number(0, 3); d > 0; d--) {
            Dim dim{number(1, 3000), {}, static_cast<double>(number(0, 2))};
            for (int64_t n = number(0, 2); n > 0; n--)
                dim.walked_by.emplace_back(random.below(loops), number(-3, 3));
            dims.push_back(dim);
        }
        make.array("a" + std::to_string(a), a == 0 ? Use::Write : Use::Read, dims,
                   static_cast<double>(number(1, 9)), number(0, 1) ? 4 : 1);
    }
    t.nest = make.nest;
    for (size_t l = 0; l < loops; l++) {
        t.tile.push_back(number(1, t.nest.loops[l].bound));
        for (std::vector<size_t> *order : {&t.inter, &t.intra})
            order->insert(order->begin() + number(0, static_cast<int64_t>(l)), l);
    }
    return t;
}

TEST(ExpectedMisses, DoNotFallWhenALoopGetsLonger) {
    Random random(1);
    for (int i = 0; i < 2000; i++) {
        RandomTiling t = random_tiling(random);
        // Rows of a line at least: shorter ones grow together into one stream, and misses do fall.
        for (Reference &r : t.nest.references)
            if (!r.dims.empty()) r.dims[0].extent += line;
        ASSERT_EQ(defect_of(t.nest), "");
        PerfectNest longer = t.nest;
        for (size_t l = 0; l < t.tile.size(); l++) {
            // Tiled already, so that the levels stay.
            if (t.tile[l] < t.nest.loops[l].bound) longer.loops[l].bound += 1 + i % 7;
        }
        const Tiling tiling = t.tiling();
        const NestRuns before(t.nest, line), after(longer, line);
        for (const bool streaming : {false, true}) {
            for (int level = -1; level < static_cast<int>(tiling.levels.size()); level++) {
                const double b = expected_misses(before, tiling, level, streaming);
                EXPECT_GE(expected_misses(after, tiling, level, streaming), b * (1 - 1e-12));
                EXPECT_GE(b, 0);
            }
        }
    }
}

TEST(ExpectedMisses, AreNoMoreWithAPrefetcher) {
    Random random(2);
    for (int i = 0; i < 2000; i++) {
        const RandomTiling t = random_tiling(random);
        const NestRuns runs(t.nest, line);
        EXPECT_LE(cold_misses(runs, t.tile, true), cold_misses(runs, t.tile, false));
    }
}

TEST(WorkingSet, GrowsWithTheBox) {
    Random random(3);
    for (int i = 0; i < 2000; i++) {
        const RandomTiling t = random_tiling(random);
        const NestRuns runs(t.nest, line);
        std::vector<int64_t> whole;
        for (const NestLoop &l : t.nest.loops) whole.push_back(l.bound);
        EXPECT_LE(working_set_bytes(runs, t.tile), working_set_bytes(runs, whole) * (1 + 1e-12));
    }
}

// --- bad input ---

TEST(Defects, AreNamed) {
    PerfectNest nest = matmul(8, 8, 8);
    EXPECT_EQ(defect_of(nest), "");
    nest.loops[mm_k].bound = 0;
    EXPECT_EQ(defect_of(nest), "loop k has 0 iterations");
    nest = matmul(8, 8, 8);
    nest.references[1].dims[0].coefficient.pop_back();
    EXPECT_EQ(defect_of(nest), "the reference to A has 2 coefficients in a nest of 3 loops");
    nest = matmul(8, 8, 8);
    nest.references[0].writes = false;
    EXPECT_EQ(defect_of(nest), "nothing is written");
    Machine m = cortex_a15();
    EXPECT_EQ(defect_of(m), "");
    m.caches.pop_back();
    EXPECT_NE(defect_of(m).find("no L2 cache"), std::string::npos);
}

}  // namespace
}  // namespace cryolite::locality
