// In which sets of a cache the lines of a box meet.
#include "featurize/counts/cache_sets.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

// Rows of a box in an image of 32-bit elements.
MemoryRows part(int64_t width, const Box &box) {
    Func f;
    f.dims = {"x", "y"};
    f.values = {ScalarType{ScalarType::Kind::Float, 32}};
    f.storage_order = {0, 1};
    return rows_of(f, box, {{0, width - 1}, {0, 479}}, 64);
}

TEST(SetLoads, RowsAPowerOfTwoApartMeet) {
    const CacheLevel cache{.size_bytes = 32 << 10, .ways = 8};  // 64 sets
    const auto column = [&](int64_t width, int64_t rows) {
        return set_loads(part(width, {{0, 0}, {0, rows - 1}}), cache, 4096);
    };
    EXPECT_DOUBLE_EQ(column(1024, 8)[8], 1);   // 4096 bytes: one set
    EXPECT_DOUBLE_EQ(column(1024, 16)[9], 1);  // more than it holds
    EXPECT_DOUBLE_EQ(column(512, 16)[8], 1);   // two sets
    EXPECT_DOUBLE_EQ(column(1024 + 16, 64)[1], 1);
    // 1028 bytes: four sets at a time, and the next ones after 16 rows.
    EXPECT_DOUBLE_EQ(column(257, 64)[4], 1);
}

// Rows of whole pages apart: each page's place among the four of a way is drawn.
TEST(SetLoads, PagesAreScatteredWhereAWayHasSeveral) {
    const CacheLevel cache{.size_bytes = 128 << 10, .ways = 8};  // four pages a way
    const auto column = [&](int64_t rows, int64_t page) {
        return set_loads(part(4096, {{0, 15}, {0, rows - 1}}), cache, page);
    };
    EXPECT_DOUBLE_EQ(column(2, 4096)[1], 0.75);
    EXPECT_DOUBLE_EQ(column(2, 4096)[2], 0.25);
    // 16 lines, and room for 32 at this place of a page: few lines meet more than seven others.
    EXPECT_NEAR(column(16, 4096)[9], 0.0173, 1e-4);
    double all = 0;
    for (double share : column(16, 4096)) all += share;
    EXPECT_NEAR(all, 1, 1e-12);
    // One page for all of a way: the addresses alone say where lines lie.
    EXPECT_DOUBLE_EQ(column(16, 32768)[9], 1);
}

TEST(SetLoads, ConsecutiveLinesAreEverywhere) {
    const CacheLevel cache{.size_bytes = 32 << 10, .ways = 8};
    const SetLoads loads = set_loads(part(1024, {{0, 1023}, {0, 1}}), cache, 4096);
    EXPECT_DOUBLE_EQ(loads[2], 1);  // 128 lines
    EXPECT_EQ(even_loads(96, cache), (SetLoads{0, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_DOUBLE_EQ(even_loads(1e6, cache)[9], 1);
    EXPECT_DOUBLE_EQ(even_loads(3, cache)[1], 1);
}

TEST(SetLoads, AreRememberedAsTheyAreCounted) {
    Machine machine;
    machine.caches = {{.size_bytes = 32 << 10, .ways = 8}, {.size_bytes = 256 << 10, .ways = 16}};
    SetLoadsMemo memo(machine);
    for (int again = 0; again < 2; again++)
        for (int64_t width : {257, 512, 1024, 1000})
            for (int64_t first : {0, 3, 16, 20})
                for (size_t c = 0; c < 2; c++) {
                    const MemoryRows rows = part(width, {{first, first + 40}, {5, 40}});
                    const SetLoads counted = set_loads(rows, machine.caches[c], machine.page_bytes);
                    const SetLoads &remembered = memo(rows, c);
                    ASSERT_EQ(counted.size(), remembered.size());
                    // The rows' first set turns the sets around; sums in another order differ in the last bits.
                    for (size_t n = 0; n < counted.size(); n++)
                        EXPECT_NEAR(counted[n], remembered[n], 1e-12)
                            << width << " " << first << " " << c;
                }
}

}  // namespace
}  // namespace cryolite
