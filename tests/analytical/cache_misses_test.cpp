// Misses of nests whose every line can be counted by hand.
#include "analytical/memory/cache_misses.h"

#include <gtest/gtest.h>

#include "analytical/memory/line_reuse.h"
#include "code/legality/apply.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite {
namespace {

using testing::GraphMaker;

Machine machine() {
    Machine m;
    m.caches = {{32 << 10, 8}, {256 << 10, 16}, {64 << 20, 16}};
    return m;
}

// out(x, y) = in(y, x)
StageGraph transpose(int64_t size) {
    GraphMaker make;
    const FuncId out =
        make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, size - 1}, {0, size - 1}});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, in, {{1}, {0}});
    return make.finish();
}

LoopNest nest_of(const StageGraph &graph, const Trace &trace) {
    const Result<LoopNest, ReplayFailure> nest = replay(graph, trace);
    if (!nest) throw std::runtime_error(name(nest.error().reason));
    return *nest;
}

LoopName loop(const StageGraph &graph, FuncId f, int16_t dim, int16_t level = 0) {
    return {graph.func(f).stages[0], dim, level};
}

TEST(CacheMisses, WhatStreamsIsMissedOncePerLine) {
    const StageGraph graph = testing::blur_graph(640, 480);
    const std::vector<double> misses = cache_misses(
        nest_of(graph, {action::ComputeRoot{FuncId(0)}, action::Inline{FuncId(1)}}), machine());
    // Three rows of the input are in the first cache, 642 x 482 of it and 640 x 480 of the output.
    const double output = 640 * 480 / 16.0, input = 642 * 482 / 16.0;
    EXPECT_NEAR(misses[0], output + input, 0.01 * input);
    EXPECT_NEAR(misses[1], output + input, 0.01 * input);
}

TEST(CacheMisses, AColumnThatDoesNotFitIsMissedAtEveryPoint) {
    // 720 lines a column, 2880 bytes apart: more than the first cache has, less than the second.
    const int64_t size = 720;
    const StageGraph graph = transpose(size);
    const std::vector<double> misses =
        cache_misses(nest_of(graph, {action::ComputeRoot{FuncId(0)}}), machine());
    const auto points = static_cast<double>(size * size);
    EXPECT_NEAR(misses[0], points + points / 16, 0.01 * points);
    EXPECT_NEAR(misses[1], points / 8, 0.01 * points);
}

TEST(CacheMisses, TilesBringEachLineInOnce) {
    const int64_t size = 720;
    const StageGraph graph = transpose(size);
    const FuncId out(0);
    const StageId s = graph.func(out).stages[0];
    const Trace trace{action::ComputeRoot{out}, action::Tile{s, 0, {16}}, action::Tile{s, 1, {16}},
                      action::Reorder{s,
                                      {loop(graph, out, 1), loop(graph, out, 0),
                                       loop(graph, out, 1, 1), loop(graph, out, 0, 1)}}};
    const std::vector<double> misses = cache_misses(nest_of(graph, trace), machine());
    const auto points = static_cast<double>(size * size);
    EXPECT_NEAR(misses[0], points / 8, 0.01 * points);
}

TEST(CacheMisses, RowsAPowerOfTwoApartMeetInFewSets) {
    // 256 lines of a column would fit the first cache by their number.
    const StageGraph graph = transpose(256);
    const std::vector<double> misses =
        cache_misses(nest_of(graph, {action::ComputeRoot{FuncId(0)}}), machine());
    EXPECT_NEAR(misses[0], 256 * 256 * (1 + 1 / 16.0), 700);
}

TEST(CacheMisses, WhatIsStoredInALoopIsMissedOnce) {
    const StageGraph graph = testing::blur_graph(640, 480);
    const FuncId out(0), blur_x(1);
    const std::vector<double> misses = cache_misses(
        nest_of(graph, {action::ComputeRoot{out}, action::ComputeAt{blur_x, loop(graph, out, 1)},
                        action::StoreAt{blur_x, std::nullopt}}),
        machine());
    const double output = 640 * 480 / 16.0, input = 642 * 482 / 16.0, window = 4 * 640 / 16.0;
    EXPECT_NEAR(misses[0], output + input + window, 0.01 * input);
}

TEST(CacheMisses, OfWhatIsStoredAtRootDependOnItsSize) {
    const FuncId out(0), blur_x(1);
    for (int64_t height : {32, 480}) {
        const StageGraph graph = testing::blur_graph(640, height);
        const std::vector<double> misses = cache_misses(
            nest_of(graph, {action::ComputeRoot{out}, action::ComputeRoot{blur_x}}), machine());
        const auto rows = static_cast<double>(height);
        const double output = 40 * rows, input = 642 * (rows + 2) / 16, between = 40 * (rows + 2);
        EXPECT_NEAR(misses[0], output + input + 2 * between, 0.02 * input) << height;
        // Below 256 KB all of it is still in the second cache when it is read.
        const double times = height == 32 ? 1 : 2;
        EXPECT_NEAR(misses[1], output + input + times * between, 0.02 * input) << height;
    }
}

// first(x, y) and second(x, y), computed row by row in out, read in at the same places and at those `apart` columns
// away.
double input_lines_missed(int64_t apart, int64_t columns) {
    const int64_t rows = 32;
    GraphMaker make;
    const Box all{{0, columns - 1}, {0, rows - 1}};
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, all);
    const FuncId first = make.func("first", {"x", "y"}), second = make.func("second", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, first, {{0}, {1}});
    make.reads(out, second, {{0}, {1}});
    make.reads(first, in, {{0}, {1}});
    make.reads(second, in, {{0, apart, apart}, {1}});
    const StageGraph graph = make.finish();
    const std::vector<double> misses = cache_misses(
        nest_of(graph, {action::ComputeRoot{out}, action::ComputeAt{first, loop(graph, out, 1)},
                        action::ComputeAt{second, loop(graph, out, 1)}}),
        machine());
    // The rows of first and second stay where they are; the output is written once.
    const double output = static_cast<double>(columns * rows) / 16;
    return (misses[0] - output) / output;
}

TEST(CacheMisses, WhatAStageOfTheSameLoopHasReadIsNotMissedAgain) {
    EXPECT_NEAR(input_lines_missed(0, 512), 1, 0.1);
    EXPECT_NEAR(input_lines_missed(4096, 512), 2, 0.1);  // other columns
    EXPECT_NEAR(input_lines_missed(256, 512), 1.5, 0.1);
}

TEST(CacheMisses, WhatAStageOfTheSameLoopHasReadIsMissedAgainWhereItDoesNotFit) {
    // A row of in, of first and of second has 32 KB, as the first cache has.
    EXPECT_GT(input_lines_missed(0, 8192), 3);
}

// Measured on a Granite Rapids, whose second level has 16 ways of 128 KB: the share of bytes that are missed, if so many
// MB are read over and over. Pages lie anywhere, and some sets are full long before the cache is.
TEST(CacheRoom, PagesFillSomeSetsBeforeOthers) {
    CacheRoom room{.cache = 1, .ways = 16, .sets = 2048, .way_bytes = 128 << 10, .scattered = true};
    const std::pair<double, double> measured[] = {{1, 0.01},    {1.25, 0.01}, {1.5, 0.03},
                                                  {1.75, 0.26}, {2, 0.55},    {2.25, 0.7},
                                                  {2.5, 0.8},   {3, 0.95},    {4, 1}};
    for (const auto &[megabytes, missed] : measured) {
        const double lines = megabytes * (1 << 20) / 64;
        EXPECT_NEAR(1 - room.kept_beside(0, lines), missed, 0.07) << megabytes;
        EXPECT_NEAR(1 - room.kept_beside(lines / 2 / room.sets, lines / 2), missed, 0.07);
    }
    room.scattered = false;
    EXPECT_EQ(room.kept_beside(0, 2048 * 16 - 1), 1) << "all sets hold as much";
}

}  // namespace
}  // namespace cryolite
