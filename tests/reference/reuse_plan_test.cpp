// Tiles, orders, segments and whole plans: algorithms 6, 7 and 8.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "reference/reuse/plan.h"
#include "tests/reference/made_graph.h"

namespace cryolite {
namespace {

using namespace reuse;
using testing::GraphMaker;

// A chain of stencils of 3 rows: f0 is the output, f1 what it reads, and so on down to the input.
StageGraph chain(int stages, int64_t width, int64_t height) {
    GraphMaker make;
    std::vector<FuncId> f{
        make.func("f0", {"x", "y"}, FuncRole::Output, Box{{0, width - 1}, {0, height - 1}})};
    for (int k = 1; k < stages; k++) f.push_back(make.func("f" + std::to_string(k), {"x", "y"}));
    f.push_back(make.func("in", {"x", "y"}, FuncRole::Input));
    for (size_t k = 0; k + 1 < f.size(); k++) make.reads(f[k], f[k + 1], {{0, -1, 1}, {1, -1, 1}});
    return testing::with_work(make.finish(), 6);
}

// Two branches of different width from one source, joined again.
StageGraph diamond(int64_t size) {
    GraphMaker make;
    const FuncId out =
        make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, size - 1}, {0, size - 1}});
    const FuncId left = make.func("left", {"x", "y"});
    const FuncId right = make.func("right", {"x", "y"});
    const FuncId source = make.func("source", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, left, {{0}, {1, -1, 1}});
    make.reads(out, right, {{0, -2, 2}, {1}});
    make.reads(left, source, {{0, -1, 1}, {1}});
    make.reads(right, source, {{0}, {1, -3, 3}});
    make.reads(source, in, {{0, -1, 1}, {1, -1, 1}});
    return testing::with_work(make.finish(), 6);
}

// A table read at loaded indices, and a reader that would not parallelise with it inside.
StageGraph table() {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 255}, {0, 255}});
    const FuncId lut = make.func("lut", {"i"}, FuncRole::Intermediate, Box{{0, 1023}});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, lut, {{-1, -testing::anywhere, testing::anywhere}});
    make.reads(out, in, {{0}, {1}});
    return testing::with_work(make.finish(), 20);
}

void expect_sound(const StageGraph &g, const Plan &plan, const CacheBudget &machine) {
    SCOPED_TRACE(to_text(g, plan));
    std::vector<int> stored(g.num_scheduled()), inlined(g.num_scheduled());
    for (const SegmentPlan &s : plan.segments) {
        const TiledNest &nest = s.tiled.nest;
        stored[s.tiled.segment.output.index()]++;
        EXPECT_TRUE(fits(s.tiled.cost, machine));
        ASSERT_EQ(s.members.size(), s.tiled.levels.size());
        const SegmentRegions regions(g, s.tiled.segment);
        bool anything_fused = false;
        for (size_t i = 0; i < s.members.size(); i++) {
            const StageLevels &at = s.members[i].levels;
            (at.inlined ? inlined : stored)[s.members[i].func.index()]++;
            if (at.inlined) {
                EXPECT_TRUE(g.func(s.members[i].func).can_inline);
                continue;
            }
            anything_fused = true;
            EXPECT_LE(at.compute, at.store);
            EXPECT_LE(at.store, at.compute + 1);
            EXPECT_GE(at.compute, nest.innermost_level());
            for (EdgeId e : g.func(s.members[i].func).outgoing) {
                const int reader = regions.local(g.stage(g.edge(e).consumer).func);
                if (reader < 0 || static_cast<size_t>(reader) >= s.members.size()) continue;
                const StageLevels &reads = s.members[static_cast<size_t>(reader)].levels;
                EXPECT_TRUE(reads.inlined || at.compute >= reads.compute);
            }
            for (const DriverOverlap &o : s.tiled.overlaps[i].along) {  // 5.15
                const auto l = static_cast<size_t>(o.loop);
                const int64_t extent = nest.ranges[l].extent();
                if (o.full) {
                    EXPECT_EQ(nest.tile[l], extent);
                } else {
                    EXPECT_GE(static_cast<double>(nest.tile[l]) + 1e-9,
                              std::min(o.iterations, static_cast<double>(extent)));
                }
            }
        }
        if (nest.parallel_level >= 0 && anything_fused) {  // 5.14
            const auto l =
                static_cast<size_t>(nest.order[static_cast<size_t>(nest.parallel_level)].loop);
            EXPECT_GE(nest.extent(nest.parallel_level),
                      std::min<int64_t>(machine.threads, nest.ranges[l].extent()));
        }
        // Every loop once in the tile, and the tiled ones once between.
        std::vector<int> inside(nest.ranges.size());
        bool between = false;
        for (const TiledLoop &l : nest.order) {
            between |= l.between_tiles;
            EXPECT_EQ(l.between_tiles, between);
            if (!l.between_tiles) inside[static_cast<size_t>(l.loop)]++;
        }
        EXPECT_EQ(inside, std::vector<int>(nest.ranges.size(), 1));
    }
    for (size_t i = 0; i < g.num_scheduled(); i++) {
        EXPECT_GE(stored[i] + inlined[i], 1) << g.func(FuncId(i)).name;
        EXPECT_LE(stored[i], 1) << g.func(FuncId(i)).name;
        EXPECT_TRUE(stored[i] == 0 || inlined[i] == 0) << g.func(FuncId(i)).name;
    }
}

const SegmentPlan &segment_of(const StageGraph &g, const Plan &plan, const std::string &output) {
    for (const SegmentPlan &s : plan.segments) {
        if (s.tiled.segment.output == testing::find(g, output)) return s;
    }
    throw std::runtime_error("no segment " + output);
}

// --- tile sizes and orders ---

TEST(TileSizes, KeepTheirMultipleAndBounds) {
    for (const int64_t extent : {1, 2, 5, 16, 31, 97, 128, 640, 1000, 4801}) {
        for (const int64_t multiple : {1, 8, 16}) {
            const std::vector<int64_t> sizes = tile_sizes(extent, multiple, 1, extent);
            ASSERT_FALSE(sizes.empty());
            EXPECT_EQ(sizes.back(), extent);
            EXPECT_LT(sizes.size(), 60u);
            EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
            for (int64_t s : sizes) EXPECT_TRUE(s == extent || s % multiple == 0) << s;
        }
    }
    EXPECT_EQ(tile_sizes(64, 1, 3, 7), (std::vector<int64_t>{3, 4, 5, 6, 7}));
    EXPECT_TRUE(tile_sizes(64, 16, 1, 8).empty());
}

TEST(TileSizes, PreferThoseThatDivide) {
    const std::vector<int64_t> sizes = tile_sizes(1080, 1, 1, 1080);
    for (const int64_t s : {12, 15, 20, 24, 27, 30, 40, 54, 60, 72, 90, 108, 120, 180, 216, 270}) {
        EXPECT_TRUE(std::binary_search(sizes.begin(), sizes.end(), s)) << s;
    }
}

TEST(LoopOrders, AreAllPermutationsInsideAndBetween) {
    const StageGraph g = testing::blur_graph();
    EXPECT_EQ(loop_orders(g, driver_of(g, FuncId(0)), CacheBudget{}, Options{}).size(), 4u);
}

TEST(LoopOrders, LeaveColoursAndKernelsInside) {
    GraphMaker make;
    const FuncId out =
        make.func("out", {"c", "x", "y"}, FuncRole::Output, Box{{0, 2}, {0, 99}, {0, 99}});
    const StageId update =
        make.stage(out, {GraphMaker::reduction("r", 3, false), GraphMaker::pure("c", 0),
                         GraphMaker::pure("x", 1), GraphMaker::pure("y", 2)});
    make.reads(update, out, {{1}, {2}, {3}});
    const StageGraph g = make.finish();
    for (const TiledNest &n : loop_orders(g, update, CacheBudget{}, Options{})) {
        EXPECT_EQ(n.order[0], (TiledLoop{0, false}));
        EXPECT_EQ(n.order[1], (TiledLoop{1, false}));
        EXPECT_EQ(n.vector_level, 2);
        EXPECT_EQ(n.innermost_level(), 2);
        EXPECT_EQ(n.parallel_level, 5);
    }
}

TEST(LoopOrders, KeepOrderedReductionsInOrder) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    // Innermost long, outermost short: neither may move past the other.
    const StageId update =
        make.stage(out, {GraphMaker::reduction("r", 40, true), GraphMaker::reduction("s", 3, true),
                         GraphMaker::pure("x", 0)});
    make.reads(update, out, {{-1, 0, 99}});
    const StageGraph g = make.finish();
    const std::vector<TiledNest> all = loop_orders(g, update, CacheBudget{}, Options{});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].order,
              (std::vector<TiledLoop>{{2, false}, {0, false}, {1, false}, {2, true}}));
}

TEST(InnermostMultiple, IsALineAndAVector) {
    const StageGraph g = testing::blur_graph();
    CacheBudget m;
    EXPECT_EQ(innermost_multiple(g.func(FuncId(0)), m), 16);
    m.vector_bytes = 128;
    EXPECT_EQ(innermost_multiple(g.func(FuncId(0)), m), 32);
}

// --- algorithm 6 ---

TEST(TilingAnalysis, OfTheBlurSlidesInWideStrips) {
    const StageGraph g = testing::with_work(testing::blur_graph(6400, 4800), 3);
    const CacheBudget machine;
    const std::optional<TiledSegment> t = analyse_tiling(g, testing::whole(g), machine, Options{});
    ASSERT_TRUE(t);
    EXPECT_EQ(t->nest.order[0].loop, 0);
    EXPECT_TRUE(t->cost.members[0].slides);
    EXPECT_EQ(t->levels[0].store, t->levels[0].compute + 1);
    // Rows as long as they come cost the fewest loads (5.6) and no more memory than 4 of them.
    EXPECT_EQ(t->nest.tile[0], 6400);
    EXPECT_EQ(t->nest.tile[1] * machine.threads, 4800);  // 5.14
}

TEST(TilingAnalysis, ChoosesTheCheapestOfAllThatFit) {
    const StageGraph g = chain(3, 192, 96);
    CacheBudget machine;
    machine.l2_bytes = 4 << 10;
    machine.last_level_bytes = 6 << 10;
    const Options options;
    const Segment segment = testing::whole(g);
    const std::optional<TiledSegment> t = analyse_tiling(g, segment, machine, options);
    ASSERT_TRUE(t);
    const SegmentRegions regions(g, segment);
    const std::vector<MemberOverlaps> w = member_overlaps(regions);
    double least = std::numeric_limits<double>::infinity();
    for (TiledNest n : loop_orders(g, segment.driver, machine, options)) {
        const std::vector<StageLevels> levels = stage_levels(regions, w, n);
        const auto inner = static_cast<size_t>(n.order[0].loop);
        const auto outer = static_cast<size_t>(n.order.back().loop);
        for (n.tile[0] = 2; n.tile[0] <= 192; n.tile[0]++) {
            for (n.tile[1] = 2; n.tile[1] <= 96; n.tile[1]++) {
                if (n.tile[inner] % 16 != 0) continue;
                if (n.tile[outer] * machine.threads > n.ranges[outer].extent()) continue;
                const SegmentCost c = segment_cost(regions, n, levels, machine, options);
                if (fits(c, machine)) least = std::min(least, c.total);
            }
        }
    }
    EXPECT_GE(t->cost.total, least);
    EXPECT_LE(t->cost.total, 1.1 * least);  // the sizes tried leave gaps
}

TEST(TilingAnalysis, FindsNothingWhereNothingFits) {
    CacheBudget machine;
    machine.l2_bytes = machine.last_level_bytes = 64;
    const StageGraph g = chain(3, 192, 96);
    EXPECT_FALSE(analyse_tiling(g, testing::whole(g), machine, Options{}));
}

// --- algorithms 7 and 8 ---

// All ways to cut a chain that algorithm 8 allows, each tried: what does not fit is cut, sources
// first.
double cheapest_split(Splitter &splitter, const StageGraph &g, const Segment &rest) {
    if (const TiledSegment *whole = splitter.analyse(rest)) return whole->cost.total;
    double least = std::numeric_limits<double>::infinity();
    for (FuncId f : rest.members) {
        const std::vector<Segment> parts = split_at(g, rest, {f});
        EXPECT_EQ(parts.size(), 2u);
        const TiledSegment *first = splitter.analyse(parts[1]);
        if (first == nullptr) continue;
        least = std::min(least, first->cost.total + cheapest_split(splitter, g, parts[0]));
    }
    return least;
}

TEST(Splitter, FindsTheCheapestSegmentsOfAChain) {
    const StageGraph g = chain(6, 160, 96);
    CacheBudget machine;
    machine.l2_bytes = 512;
    machine.last_level_bytes = 1200;
    const Options options;
    Splitter splitter(g, machine, options);
    const Segment all = testing::whole(g);
    ASSERT_EQ(splitter.analyse(all), nullptr);
    const std::vector<TiledSegment> parts = splitter.split(all);
    EXPECT_GT(parts.size(), 1u);
    EXPECT_LT(parts.size(), 6u);
    double total = 0;
    for (const TiledSegment &p : parts) total += p.cost.total;
    Splitter fresh(g, machine, options);
    EXPECT_DOUBLE_EQ(total, cheapest_split(fresh, g, all));
}

TEST(Splitter, SplitsOffAtLeastTheSmallestSegment) {
    const StageGraph g = chain(6, 160, 96);
    CacheBudget machine;
    machine.l2_bytes = 512;
    machine.last_level_bytes = 1200;
    Options options;
    options.min_segment = 2;
    Splitter splitter(g, machine, options);
    const std::vector<TiledSegment> parts = splitter.split(testing::whole(g));
    for (size_t k = 1; k < parts.size(); k++) EXPECT_GE(parts[k].segment.members.size(), 1u);
}

TEST(Splitter, StopsAtItsLimitWithAPlan) {
    const StageGraph g = chain(9, 160, 96);
    CacheBudget machine;
    machine.l2_bytes = machine.last_level_bytes = 600;
    Options options;
    options.max_segments = 1;
    const Plan plan = plan_by_reuse(g, machine, options);
    expect_sound(g, plan, machine);
    EXPECT_LT(plan.segments_analysed, 40u);
}

TEST(Splitter, StoresEverythingWhereNoBufferFits) {
    const StageGraph g = chain(4, 160, 96);
    CacheBudget machine;
    machine.l2_bytes = machine.last_level_bytes = 1;
    const Plan plan = plan_by_reuse(g, machine, Options{});
    EXPECT_EQ(plan.segments.size(), 4u);
    expect_sound(g, plan, machine);
}

TEST(GroupStages, CutsWhatIsReadTwiceOnlyWhereTheWholeDoesNotFit) {
    const StageGraph g = diamond(256);
    CacheBudget machine;
    const Plan roomy = plan_by_reuse(g, machine, Options{});
    EXPECT_EQ(roomy.segments.size(), 1u);
    expect_sound(g, roomy, machine);
    machine.l2_bytes = machine.last_level_bytes = 700;
    const Plan tight = plan_by_reuse(g, machine, Options{});
    expect_sound(g, tight, machine);
    EXPECT_EQ(segment_of(g, tight, "source").tiled.segment.members.size(), 0u);
}

// --- whole plans ---

TEST(Plan, KeepsATableOutsideOfTheLoops) {
    const StageGraph g = table();
    const Plan plan = plan_by_reuse(g, CacheBudget{}, Options{});
    EXPECT_EQ(plan.segments.size(), 2u);
    expect_sound(g, plan, CacheBudget{});
}

TEST(Plan, IsSoundForEveryShape) {
    CacheBudget small;
    small.threads = 3;
    small.l2_bytes = 3000;
    small.last_level_bytes = 5000;
    for (const CacheBudget &machine : {CacheBudget{}, small}) {
        for (const StageGraph &g : {chain(4, 97, 61), diamond(53), table(),
                                    testing::with_work(testing::pyramid_graph(96), 4),
                                    testing::with_work(testing::histogram_graph(), 4),
                                    testing::with_work(testing::matmul_graph(64), 2),
                                    testing::with_work(testing::transpose_graph(), 1)}) {
            expect_sound(g, plan_by_reuse(g, machine, Options{}), machine);
        }
    }
}

TEST(Plan, IsSoundForTinyImages) {
    for (const int64_t size : {1, 2, 3, 7, 17}) {
        for (const StageGraph &g : {chain(3, size, size), chain(2, size, 1), diamond(size),
                                    testing::with_work(testing::pyramid_graph(size), 4)}) {
            expect_sound(g, plan_by_reuse(g, CacheBudget{}, Options{}), CacheBudget{});
        }
    }
}

TEST(Plan, OfAScalar) {
    GraphMaker make;
    const FuncId out = make.func("out", {}, FuncRole::Output, Box{});
    const FuncId sum = make.func("sum", {});
    const FuncId in = make.func("in", {"x"}, FuncRole::Input, Box{{0, 99}});
    const StageId update = make.stage(sum, {GraphMaker::reduction("r", 100, false)});
    make.reads(out, sum, {});
    make.reads(update, sum, {});
    make.reads(update, in, {{0}});
    const StageGraph g = testing::with_work(make.finish(), 1);
    expect_sound(g, plan_by_reuse(g, CacheBudget{}, Options{}), CacheBudget{});
}

TEST(Plan, OrdersProducersByStrideWithTheWindowOutermost) {
    const StageGraph g = testing::with_work(testing::blur_graph(640, 480), 3);
    const Plan plan = plan_by_reuse(g, CacheBudget{}, Options{});
    ASSERT_EQ(plan.segments.size(), 1u);
    ASSERT_EQ(plan.segments[0].members.size(), 1u);
    const StageLoops &loops = plan.segments[0].members[0].stages.at(0);
    EXPECT_EQ(loops.order, (std::vector<int>{0, 1}));
    EXPECT_EQ(loops.vector_loop, 0);
    EXPECT_EQ(loops.vector_width, 8);
}

TEST(Plan, IsTheSameTwice) {
    const StageGraph g = diamond(100);
    EXPECT_EQ(to_text(g, plan_by_reuse(g, CacheBudget{}, Options{})),
              to_text(g, plan_by_reuse(g, CacheBudget{}, Options{})));
}

}  // namespace
}  // namespace cryolite
