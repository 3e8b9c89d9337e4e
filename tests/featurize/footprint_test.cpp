// Boxes of memory in whole cache lines.
#include "featurize/counts/footprint.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

Func image(int64_t width, int64_t height, int64_t planes = 1) {
    Func f;
    f.name = "image";
    f.dims = {"x", "y", "c"};
    f.values = {ScalarType{ScalarType::Kind::Float, 32}};
    f.storage_order = {0, 1, 2};
    f.root_region = {{0, width - 1}, {0, height - 1}, {0, planes - 1}};
    return f;
}

TEST(Footprint, RowsThatAreWholeFollowEachOtherInMemory) {
    const Func f = image(640, 480, 3);
    EXPECT_EQ(contiguous_runs(f, {{0, 15}, {0, 7}, {0, 0}}, f.root_region), 8);
    EXPECT_EQ(contiguous_runs(f, {{0, 639}, {0, 7}, {0, 0}}, f.root_region), 1);
    EXPECT_EQ(contiguous_runs(f, {{0, 639}, {0, 7}, {0, 2}}, f.root_region), 3);
    EXPECT_EQ(contiguous_runs(f, {{0, 639}, {0, 479}, {0, 2}}, f.root_region), 1);
    EXPECT_EQ(contiguous_runs(f, {{5, 5}, {0, 479}, {1, 1}}, f.root_region), 480);
}

TEST(Footprint, TheStorageOrderSaysWhatARowIs) {
    Func f = image(640, 480, 3);
    f.storage_order = {2, 0, 1};  // interleaved
    EXPECT_EQ(contiguous_runs(f, {{0, 15}, {0, 7}, {0, 2}}, f.root_region), 8);
    // One channel of three: the prefetchers read across the others, and all lines are touched.
    EXPECT_EQ(contiguous_runs(f, {{0, 15}, {0, 7}, {0, 0}}, f.root_region), 8);
    EXPECT_DOUBLE_EQ(line_bytes(f, {{0, 15}, {0, 7}, {0, 0}}, f.root_region, 64),
                     line_bytes(f, {{0, 15}, {0, 7}, {0, 2}}, f.root_region, 64));
}

TEST(Footprint, EveryRunTouchesPartsOfLines) {
    const Func f = image(640, 480);
    // On average half of what a run could touch besides its own bytes.
    EXPECT_DOUBLE_EQ(line_bytes(f, {{0, 15}, {0, 7}, {0, 0}}, f.root_region, 64),
                     16 * 8 * 4 + 8 * 60 * 0.5);
    EXPECT_DOUBLE_EQ(line_bytes(f, {{0, 639}, {0, 479}, {0, 0}}, f.root_region, 64),
                     640 * 480 * 4 + 60 * 0.5);
    // As many points in a column cost more lines than in a row.
    EXPECT_GT(line_bytes(f, {{0, 0}, {0, 15}, {0, 0}}, f.root_region, 64),
              4 * line_bytes(f, {{0, 15}, {0, 0}, {0, 0}}, f.root_region, 64));
}

// Rows less than four lines apart are one run, since prefetchers read across; their lines are not.
TEST(Footprint, AColumnOfANarrowImageTouchesALinePerRow) {
    const Func f = image(40, 100);
    EXPECT_GE(line_bytes(f, {{5, 5}, {0, 99}, {0, 0}}, f.root_region, 64), 100 * (4 + 60 * 0.5));
}

TEST(TouchedLines, AreCountedWhereRowsStartOnLines) {
    const Func f = image(640, 480);
    EXPECT_EQ(touched_lines(f, {{0, 15}, {0, 7}, {0, 0}}, f.root_region, 64, 4), 8);
    EXPECT_EQ(touched_lines(f, {{32, 48}, {0, 7}, {0, 0}}, f.root_region, 64, 4), 16);
    EXPECT_EQ(touched_lines(f, {{0, 639}, {0, 479}, {0, 0}}, f.root_region, 64, 4), 480 * 40);
    // 160 bytes a row: a column has a line in each, narrow as they are.
    const Func narrow = image(40, 100);
    EXPECT_EQ(touched_lines(narrow, {{5, 5}, {0, 99}, {0, 0}}, narrow.root_region, 64, 4), 100);
    // 32 bytes a row: two in a line.
    const Func thin = image(8, 100);
    EXPECT_EQ(touched_lines(thin, {{0, 0}, {0, 99}, {0, 0}}, thin.root_region, 64, 4), 50);
}

TEST(TouchedLines, AreAnAverageWhereRowsStartAnywhere) {
    const Func f = image(641, 480);
    EXPECT_DOUBLE_EQ(touched_lines(f, {{0, 15}, {0, 7}, {0, 0}}, f.root_region, 64, 4),
                     8 * (60.0 / 64 + 1));
    // A vector across the end of a line brings both and is one miss.
    EXPECT_DOUBLE_EQ(touched_lines(f, {{0, 7}, {0, 7}, {0, 0}}, f.root_region, 64, 32), 8);
    EXPECT_DOUBLE_EQ(touched_lines(f, {{0, 15}, {0, 7}, {0, 0}}, f.root_region, 64, 32), 8 * 1.5);
}

TEST(Footprint, GrowsWithTheBoxAndWithTheLine) {
    const Func f = image(640, 480);
    double before = 0;
    for (int64_t width : {1, 2, 16, 17, 100, 639}) {
        const double bytes = line_bytes(f, {{0, width - 1}, {0, 3}, {0, 0}}, f.root_region, 64);
        EXPECT_GT(bytes, before);
        EXPECT_GE(bytes, static_cast<double>(4 * width * 4));
        EXPECT_GT(line_bytes(f, {{0, width - 1}, {0, 3}, {0, 0}}, f.root_region, 128), bytes);
        before = bytes;
    }
}

}  // namespace
}  // namespace cryolite
