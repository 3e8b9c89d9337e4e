// Algorithm 1: caches small enough to trace by hand, and against a cache that is simulated.
#include "featurize/thesis/cache_emulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "reference/locality/tile_sizes.h"
#include "tests/reference/locality_nests.h"

namespace cryolite::locality {
namespace {

using namespace thesis;

using namespace testing;

constexpr int64_t plenty = 1000;

// Four sets of two ways, lines of 64 bytes.
EmulatedCache small_cache(int64_t prefetch_lines = 0, int64_t prefetch_distance = 0) {
    return {4, 2, 64, prefetch_lines, prefetch_distance};
}

int64_t bound(const EmulatedCache &cache, int64_t row, int64_t pitch, int64_t first = 0) {
    return rows_without_interference(cache, {first, row, pitch, plenty});
}

TEST(CacheEmulation, RowsThatMeetInOneSetFillItsWays) {
    EXPECT_EQ(bound(small_cache(), 64, 256), 2);
    EXPECT_EQ(bound(small_cache(), 64, 512), 2);
    EXPECT_EQ(bound(small_cache(), 64, 128), 4);  // sets 0, 2, 0, 2
}

TEST(CacheEmulation, RowsThatSpreadFillTheCache) {
    EXPECT_EQ(bound(small_cache(), 64, 64), 8);
    EXPECT_EQ(bound(small_cache(), 64, 192), 8);   // sets 0, 3, 2, 1, 0, ...
    EXPECT_EQ(bound(small_cache(), 128, 320), 4);  // 01, 12, 23, 30: then all sets are full
}

TEST(CacheEmulation, ARowThatDoesNotFitIsNone) {
    EXPECT_EQ(bound(small_cache(), 512, 4096), 1);
    EXPECT_EQ(bound(small_cache(), 513, 4096), 0);
}

TEST(CacheEmulation, ARowThatStartsInsideALineTouchesOneMore) {
    EXPECT_EQ(bound(small_cache(), 448, 4096, 0), 1);
    EXPECT_EQ(bound(small_cache(), 448, 4096, 32), 1);  // 7.5 lines are 8
    EXPECT_EQ(bound(small_cache(), 512, 4096, 32), 0);
}

// 42 pixels of 12 bytes end at byte 503; the next one needs a ninth line.
TEST(CacheEmulation, RowsWithinALineShareIt) { EXPECT_EQ(bound(small_cache(), 12, 12), 42); }

TEST(CacheEmulation, TheSameRowAgainTakesNothing) {
    EXPECT_EQ(bound(small_cache(), 64, 0), plenty);
}

TEST(CacheEmulation, TheNextLineTakesRoom) {
    const EmulatedCache next_line = small_cache(1, 1);
    EXPECT_EQ(bound(next_line, 64, 256), 2);  // sets 01, 01
    EXPECT_EQ(bound(next_line, 64, 128), 4);  // 01, 23, 01, 23
    EXPECT_EQ(bound(next_line, 64, 192), 4);  // 01, 30, 23, 12
    EXPECT_EQ(bound(next_line, 64, 64), 7);   // the prefetched line is the next row
}

// Rows of two lines: two more per access make four, of which three are within the distance.
TEST(CacheEmulation, AStreamRunsAheadUpToItsDistance) {
    EXPECT_EQ(bound(small_cache(2, 3), 128, 512),
              1);  // 01 and 230: the second row is the third in 0
    EXPECT_EQ(bound(small_cache(2, 2), 128, 512), 2);   // 01 and 23
    EXPECT_EQ(bound(small_cache(1, 20), 128, 512), 2);  // one more per access: 01 and 23
}

TEST(CacheEmulation, EndsAtTheBound) {
    EXPECT_EQ(rows_without_interference(small_cache(), {0, 64, 64, 5}), 5);
}

TEST(CacheEmulation, SetsNeedNotBeAPowerOfTwo) {
    EXPECT_EQ(bound({3, 2, 64, 0, 0}, 64, 256), 6);
    EXPECT_EQ(bound({3, 2, 64, 0, 0}, 64, 192), 2);
}

// Touches all rows twice, least recently used out first: does the second time find everything?
bool second_pass_hits(const EmulatedCache &cache, int64_t rows, int64_t row_bytes, int64_t pitch,
                      int64_t first_byte) {
    std::vector<std::list<int64_t>> sets(static_cast<size_t>(cache.sets));
    bool all_hit = true;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t byte = 0; byte < row_bytes; byte++) {
                const int64_t line = (first_byte + r * pitch + byte) / cache.line_bytes;
                std::list<int64_t> &set = sets[static_cast<size_t>(line % cache.sets)];
                const auto found = std::find(set.begin(), set.end(), line);
                if (found != set.end()) {
                    set.erase(found);
                } else if (pass == 1) {
                    all_hit = false;
                }
                set.push_front(line);
                if (set.size() > static_cast<size_t>(cache.ways)) set.pop_back();
            }
        }
    }
    return all_hit;
}

TEST(CacheEmulation, IsExactWithoutPrefetching) {
    for (const int64_t sets : {1, 3, 4, 8})
        for (const int64_t ways : {1, 2, 3})
            for (const int64_t row : {1, 4, 16, 20, 37})
                for (const int64_t pitch : {1, 4, 12, 16, 20, 32, 36, 48, 64, 100, 128})
                    for (const int64_t first : {0, 4, 13}) {
                        const EmulatedCache cache{sets, ways, 16, 0, 0};
                        const int64_t rows =
                            rows_without_interference(cache, {first, row, pitch, 60});
                        const std::string where =
                            std::to_string(sets) + "x" + std::to_string(ways) + " row " +
                            std::to_string(row) + " pitch " + std::to_string(pitch);
                        EXPECT_TRUE(second_pass_hits(cache, rows, row, pitch, first)) << where;
                        if (rows < 60) {
                            EXPECT_FALSE(second_pass_hits(cache, rows + 1, row, pitch, first))
                                << where;
                        }
                    }
}

TEST(CacheEmulation, NothingThatHelpsACacheShrinksTheBound) {
    for (const int64_t pitch : {64, 192, 256, 1000, 4096, 4160})
        for (const int64_t row : {4, 64, 100, 640}) {
            int64_t last = 0;
            for (const int64_t ways : {1, 2, 4, 8, 16}) {
                const int64_t rows = bound({64, ways, 64, 2, 20}, row, pitch);
                EXPECT_GE(rows, last);
                last = rows;
            }
            last = plenty;
            for (const int64_t distance : {0, 1, 4, 20, 40}) {
                const int64_t rows = bound({64, 16, 64, 2, distance}, row, pitch);
                EXPECT_LE(rows, last) << "more is prefetched";
                last = rows;
            }
            EXPECT_LE(bound({64, 16, 64, 2, 40}, row + 64, pitch), last) << "longer rows";
        }
}

// --- a machine's caches ---

TEST(EmulatedCaches, AreSharedAmongThreads) {
    const EmulatedCache l1 = emulated_cache(i7_6700(), 0);
    EXPECT_EQ(l1.sets, 64);
    EXPECT_EQ(l1.ways, 4);  // two threads per core
    EXPECT_EQ(l1.prefetch_lines, 1);
    EXPECT_EQ(l1.prefetch_distance, 1);
    const EmulatedCache l2 = emulated_cache(i7_6700(), 1);
    EXPECT_EQ(l2.sets, 256);  // half of 512
    EXPECT_EQ(l2.ways, 4);
    EXPECT_EQ(l2.prefetch_lines, 2);
    EXPECT_EQ(l2.prefetch_distance, 20);
    EXPECT_EQ(usable_bytes(i7_6700(), 0), 16 << 10);
    EXPECT_EQ(usable_bytes(i7_6700(), 1), 64 << 10);
}

TEST(EmulatedCaches, OfTheCortexShareL2AmongItsCores) {
    EXPECT_EQ(emulated_cache(cortex_a15(), 0).ways, 2);
    EXPECT_EQ(emulated_cache(cortex_a15(), 1).ways, 4);
    Machine one_thread = cortex_a15();
    one_thread.cores = 1;
    EXPECT_EQ(emulated_cache(one_thread, 1).ways, 16);
}

// --- the bounds of a nest's loops ---

// Matrices of 2048 floats: rows of B 8 KB apart meet in one set of L1's 64.
TEST(TileBounds, OfMatricesWithPowersOfTwoAreTheWays) {
    const PerfectNest nest = matmul(2048, 2048, 2048);
    TileBounds bounds(nest, i7_6700(), false);
    const std::vector<int64_t> tile{64, 16, 32};
    EXPECT_EQ(bounds.largest(mm_k, 0, tile), 4);
    EXPECT_EQ(bounds.largest(mm_j, 0, tile), 2048);  // walks along rows only
    // L2: 256 sets, 8 KB are 128 lines. Rows of C: 4 lines and 8 ahead, from sets 0 and 128.
    EXPECT_EQ(bounds.largest(mm_i, 1, tile), 8);
}

// Rows of four lines and a fifth: 133 lines apart they stand side by side in L1's 64 sets, 129
// lines apart they shift by one, so that the fifth is one too many for the set where the first
// ended.
TEST(TileBounds, DependOnHowFarApartRowsAre) {
    const std::vector<int64_t> tile{64, 16, 32};
    EXPECT_GT(TileBounds(matmul(2128, 2128, 2128), i7_6700(), false).largest(mm_k, 0, tile), 40);
    EXPECT_EQ(TileBounds(matmul(2064, 2064, 2064), i7_6700(), false).largest(mm_k, 0, tile), 4);
}

TEST(TileBounds, DoNotSeeWhatBypassesTheCaches) {
    const PerfectNest nest = copy(4096, 4096);
    PerfectNest output_only = nest;
    output_only.references.pop_back();
    const std::vector<int64_t> tile{64, 64};
    EXPECT_EQ(TileBounds(output_only, i7_6700(), true).largest(1, 1, tile), 4096);
    EXPECT_EQ(TileBounds(output_only, i7_6700(), false).largest(1, 1, tile), 4);
}

// --- which sizes are tried ---

TEST(TileSizes, EndWithTheWholeLoop) {
    EXPECT_EQ(tile_sizes(1, 1), (std::vector<int64_t>{1}));
    EXPECT_EQ(tile_sizes(3, 1), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(tile_sizes(10, 16), (std::vector<int64_t>{10}));
    EXPECT_EQ(tile_sizes(64, 16), (std::vector<int64_t>{16, 32, 64}));
}

TEST(TileSizes, OfAPrimeLeaveSmallRests) {
    for (const int64_t size : tile_sizes(1021, 1)) {
        const int64_t tiles = (1021 + size - 1) / size;
        EXPECT_LT(tiles * size - 1021, tiles) << size;
    }
    const std::vector<int64_t> sizes = tile_sizes(1024, 1);
    for (int64_t power = 1; power <= 1024; power *= 2)
        EXPECT_TRUE(std::binary_search(sizes.begin(), sizes.end(), power)) << power;
}

TEST(TileSizes, ThinOutToTheBudgetAndKeepTheirEnds) {
    std::vector<std::vector<int64_t>> sizes;
    for (const int64_t b : {256, 3, 3, 64, 256, 64, 16}) sizes.push_back(tile_sizes(b, 1));
    thin_out(sizes, 100'000);
    double product = 1;
    for (const auto &s : sizes) {
        product *= static_cast<double>(s.size());
        EXPECT_EQ(s.front(), 1);
    }
    EXPECT_LE(product, 100'000);
    EXPECT_GT(product, 10'000);
    EXPECT_EQ(sizes[0].back(), 256);
    thin_out(sizes, 1);
    for (const auto &s : sizes) EXPECT_EQ(s.size(), 1u);
    EXPECT_EQ(sizes[3], (std::vector<int64_t>{64}));
}

}  // namespace
}  // namespace cryolite::locality
