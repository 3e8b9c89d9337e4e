// Where stages are computed and stored: overlaps, algorithms 4 and 5, and which Funcs form
// segments.
#include <gtest/gtest.h>

#include "reference/reuse/segmentation.h"
#include "reference/reuse/stage_fusion.h"
#include "tests/reference/made_graph.h"

namespace cryolite {
namespace {

using namespace reuse;
using testing::GraphMaker;

constexpr int xi = 0, yi = 1, xo = 2;

TiledNest plain_nest(const StageGraph &g, const Segment &s, bool y_innermost = false) {
    const std::vector<TiledNest> all = loop_orders(g, s.driver, CacheBudget{}, Options{});
    for (const TiledNest &n : all) {
        const bool y_first = n.order[0].loop == 1;
        if (y_first == y_innermost && n.order[2].loop == 0) return n;
    }
    throw std::runtime_error("no such order");
}

std::vector<Overlap> overlaps_of(const StageGraph &g, const std::string &reader,
                                 const std::string &producer, size_t stage = 0) {
    const Stage &s = g.stage(g.func(testing::find(g, reader)).stages.at(stage));
    for (EdgeId e : s.incoming) {
        if (g.edge(e).producer == testing::find(g, producer)) return overlaps(g, g.edge(e));
    }
    throw std::runtime_error("no such edge");
}

struct Segmented {
    StageGraph graph;
    Segment segment = testing::whole(graph);
    SegmentRegions regions{graph, segment};
    std::vector<MemberOverlaps> w = member_overlaps(regions);

    explicit Segmented(StageGraph g) : graph(std::move(g)) {}
    size_t at(const std::string &name) const {
        return static_cast<size_t>(regions.local(testing::find(graph, name)));
    }
};

// --- overlaps ---

TEST(Overlaps, OfAStencilAreItsWidthLessItsStep) {
    const StageGraph g = testing::blur_graph();
    const std::vector<Overlap> o = overlaps_of(g, "out", "blur_x");
    ASSERT_EQ(o.size(), 1u);
    EXPECT_EQ(o[0].loop, 1);
    EXPECT_EQ(o[0].points, 2);  // v_y of the text
    EXPECT_EQ(o[0].iterations, 2);
    EXPECT_FALSE(o[0].full);
}

TEST(Overlaps, OfResamplingCountPointsOfTheProducer) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 63}});
    const FuncId a = make.func("a", {"x", "y"});
    make.reads(out, a, {{0, 0, 0, 1, 2}, {1, -1, 1, 2}});  // a(x / 2, 2y - 1 .. 2y + 1)
    const StageGraph g = make.finish();
    const std::vector<Overlap> o = overlaps_of(g, "out", "a");
    ASSERT_EQ(o.size(), 2u);
    EXPECT_EQ(o[0].points, 0.5);  // one point, moving by halves
    EXPECT_EQ(o[0].iterations, 1);
    EXPECT_EQ(o[1].points, 1);  // three points, moving by two
    EXPECT_EQ(o[1].iterations, 0.5);
}

TEST(Overlaps, ThereAreNoneWithoutReuse) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 63}});
    const FuncId a = make.func("a", {"x"});
    make.reads(out, a, {{0, 0, 1, 2}});  // a(2x), a(2x + 1)
    EXPECT_TRUE(overlaps_of(make.finish(), "out", "a").empty());
}

TEST(Overlaps, AreFullAlongLoopsThatDoNotMatter) {
    const StageGraph g = testing::matmul_graph(128);
    // scaled(x, k), read by the update over x, y, k.
    const std::vector<Overlap> o = overlaps_of(g, "product", "scaled", 1);
    ASSERT_EQ(o.size(), 1u);
    EXPECT_EQ(o[0].loop, 1);
    EXPECT_TRUE(o[0].full);
    EXPECT_EQ(o[0].iterations, 127);
}

TEST(Overlaps, OfConvolutionsTakeTheWholeKernel) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 63}});
    const FuncId a = make.func("a", {"x"});
    const StageId update =
        make.stage(out, {GraphMaker::pure("x", 0), GraphMaker::reduction("r", 5, false)});
    make.reads(update, out, {{0}});
    make.reads(update, a, {{0, 0, 4}});
    make.edit(update);
    const std::vector<Overlap> o = overlaps_of(make.finish(), "out", "a", 1);
    ASSERT_EQ(o.size(), 2u);
    EXPECT_EQ(o[0].points, 4);
    EXPECT_TRUE(o[1].full);  // a box of five points at every r
}

TEST(Overlaps, OfAScanAreAllOfItsColumn) {
    const StageGraph g = testing::histogram_graph();
    const std::vector<Overlap> o = overlaps_of(g, "out", "scan");
    ASSERT_EQ(o.size(), 1u);
    EXPECT_EQ(o[0].loop, 1);
    EXPECT_TRUE(o[0].full);
}

TEST(Overlaps, OfAGatherAreFullAlongEveryLoop) {
    const std::vector<Overlap> o = overlaps_of(testing::histogram_graph(), "out", "histogram");
    ASSERT_EQ(o.size(), 2u);
    EXPECT_TRUE(o[0].full);
    EXPECT_TRUE(o[1].full);
}

TEST(MemberOverlaps, FollowTheLoopsOfTheOutput) {
    const Segmented t(testing::with_work(testing::transpose_graph(), 2));
    ASSERT_EQ(t.w[t.at("turned")].along.size(), 1u);
    const DriverOverlap &o = t.w[t.at("turned")].along[0];
    EXPECT_EQ(o.loop, 0);  // turned(y, x .. x + 1)
    EXPECT_EQ(o.iterations, 1);
    EXPECT_TRUE(o.slides);
    EXPECT_EQ(t.w[t.at("turned")].moved_dim, (std::vector<int>{1, 0}));
}

TEST(MemberOverlaps, CountIterationsOfTheOutput) {
    // up reads two of coarse per half step: three more of its rows, which are rows of out.
    const Segmented t(testing::with_work(testing::pyramid_graph(64), 3));
    const MemberOverlaps &coarse = t.w[t.at("coarse")];
    ASSERT_EQ(coarse.along.size(), 2u);
    EXPECT_EQ(coarse.along[0].iterations, 3);
    // fine: three per two of coarse, v = 1, half a row of coarse, which is one of out.
    const MemberOverlaps &fine = t.w[t.at("fine")];
    ASSERT_EQ(fine.along.size(), 2u);
    EXPECT_EQ(fine.along[1].iterations, 1);
    EXPECT_FALSE(t.w[t.at("up")].any);
}

// --- algorithm 4 ---

std::vector<StageLevels> levels_of(const Segmented &t, bool y_innermost = false) {
    return stage_levels(t.regions, t.w, plain_nest(t.graph, t.segment, y_innermost));
}

TEST(StageFusion, SlidesAlongTheOutermostLoopWithOverlap) {
    const Segmented t(testing::with_work(testing::blur_graph(), 3));
    EXPECT_EQ(levels_of(t)[0], (StageLevels{false, yi, xo}));
}

TEST(StageFusion, ComputesRowsWhereTheOverlapIsAlongTheVector) {
    const Segmented t(testing::with_work(testing::blur_graph(), 3));
    // y innermost: level 0, and vectorised.
    EXPECT_EQ(levels_of(t, true)[0], (StageLevels{false, 1, 1}));
}

TEST(StageFusion, InlinesWhatIsReadPointwise) {
    const Segmented t(testing::with_work(testing::pyramid_graph(), 3));
    const std::vector<StageLevels> levels = levels_of(t);
    EXPECT_TRUE(levels[t.at("up")].inlined);
    EXPECT_EQ(levels[t.at("coarse")], (StageLevels{false, yi, xo}));
    EXPECT_EQ(levels[t.at("fine")], (StageLevels{false, yi, xo}));
}

TEST(StageFusion, MovesOutOfLoopsThatAddNothing) {
    const Segmented t(testing::with_work(testing::matmul_graph(), 3));
    const std::vector<StageLevels> levels = levels_of(t);
    // product cannot be inlined and overlaps with nothing: as far inside as can be. But scaled must
    // be outside of y, and nothing forces product out.
    EXPECT_EQ(levels[t.at("product")], (StageLevels{false, xi, xi}));
    EXPECT_EQ(levels[t.at("scaled")], (StageLevels{false, xo, xo}));
}

TEST(StageFusion, KeepsProducersOutsideOfTheirReaders) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId a = make.func("a", {"x", "y"});
    const FuncId b = make.func("b", {"x", "y"});
    const FuncId scale = make.func("scale", {"x"}, FuncRole::Intermediate, Box{{0, 99}});
    make.reads(out, a, {{0, -9, 9}, {1}});
    make.reads(out, scale, {{0}});
    make.reads(a, b, {{0, -1, 1}, {1}});
    make.reads(scale, b, {{0}, {-1, 3, 3}});
    const Segmented t(testing::with_work(make.finish(), 5));
    const std::vector<StageLevels> levels = levels_of(t);
    EXPECT_EQ(levels[t.at("a")], (StageLevels{false, yi, yi}));
    EXPECT_EQ(levels[t.at("scale")], (StageLevels{false, xo, xo}));
    EXPECT_EQ(levels[t.at("b")].compute, xo);  // by itself it would be computed at every row
}

TEST(StageFusion, DoesNotSlideBackwards) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId a = make.func("a", {"x", "y"});
    make.reads(out, a, {{0}, {1}});
    // a mirrored in y: rows 97 - y .. 99 - y, as [99 - max(y) - 2, 99 - min(y)].
    StageGraph g = make.finish();
    std::vector<Func> funcs(g.funcs().begin(), g.funcs().end());
    std::vector<Stage> stages(g.stages().begin(), g.stages().end());
    std::vector<Edge> edges(g.edges().begin(), g.edges().end());
    edges[0].region.dims[1] = {
        RegionExpression({{RegionOp::Constant, 97}, {RegionOp::LoopMax, 1}, {RegionOp::Sub}}),
        RegionExpression({{RegionOp::Constant, 99}, {RegionOp::LoopMin, 1}, {RegionOp::Sub}})};
    funcs[1].root_region[1] = {-2, 99};
    const Segmented t(testing::with_work(StageGraph(funcs, stages, edges, 1), 3));
    ASSERT_EQ(t.w[0].along.size(), 1u);
    EXPECT_EQ(t.w[0].along[0].iterations, 2);
    EXPECT_FALSE(t.w[0].along[0].slides);
    EXPECT_EQ(levels_of(t)[0], (StageLevels{false, xo, xo}));
}

// --- algorithm 5 ---

// out reads three rows of cheap, which reads dear pointwise.
StageGraph cheap_over_dear() {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId cheap = make.func("cheap", {"x", "y"});
    const FuncId dear = make.func("dear", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, cheap, {{0}, {1, -1, 1}});
    make.reads(cheap, dear, {{0}, {1}});
    make.reads(dear, in, {{0}, {1}});
    return testing::with_work(make.finish(), 8, {{"cheap", 1}});
}

TEST(TrivialStages, HandTheirLevelsToWhatWasInlinedIntoThem) {
    const Segmented t(cheap_over_dear());
    const TiledNest nest = plain_nest(t.graph, t.segment);
    std::vector<StageLevels> levels = fuse_stages(t.regions, t.w, nest);
    EXPECT_EQ(levels[t.at("cheap")], (StageLevels{false, yi, xo}));
    EXPECT_TRUE(levels[t.at("dear")].inlined);
    inline_trivial_stages(t.regions, levels);
    EXPECT_TRUE(levels[t.at("cheap")].inlined);
    EXPECT_EQ(levels[t.at("dear")], (StageLevels{false, yi, xo}));
    // And there it slides, through the inlined one.
    TiledNest tiled = nest;
    tiled.tile = {20, 10};
    tiled.vector_width = 4;
    Options exact;
    exact.folds_to_powers_of_two = false;
    const SegmentCost cost = segment_cost(t.regions, tiled, levels, CacheBudget{}, exact);
    EXPECT_EQ(cost.members[t.at("dear")].folded_bytes, 20 * 3 * 4);
    EXPECT_EQ(cost.members[t.at("dear")].computed_points, 50 * 20 * 12);
    EXPECT_EQ(cost.members[t.at("cheap")].computed_points, 3 * 100 * 100);
}

TEST(TrivialStages, AreThoseThatCostNoMoreThanALoad) {
    const StageGraph g = cheap_over_dear();
    EXPECT_TRUE(is_trivial(g, testing::find(g, "cheap")));
    EXPECT_FALSE(is_trivial(g, testing::find(g, "dear")));
    const StageGraph two_loads = testing::with_work(testing::blur_graph(), 1);
    EXPECT_FALSE(is_trivial(two_loads, testing::find(two_loads, "blur_x")));
}

// --- segments ---

std::vector<std::string> names(const StageGraph &g, const std::vector<FuncId> &funcs) {
    std::vector<std::string> out;
    for (FuncId f : funcs) out.push_back(g.func(f).name);
    return out;
}

TEST(Segments, OfHistogramAndScanShareTheirReader) {
    const StageGraph g = testing::with_work(testing::histogram_graph(), 4);
    const std::vector<Segment> all = segments_between(g, {});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(names(g, all[0].members), (std::vector<std::string>{"histogram", "scan", "bright"}));
    EXPECT_EQ(names(g, read_more_than_once(g, all[0])), (std::vector<std::string>{"bright"}));
}

TEST(Segments, FuseIntoTheDrivingStageOnly) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 63}});
    const FuncId start = make.func("start", {"x"});
    const FuncId a = make.func("a", {"x"});
    const StageId update =
        make.stage(out, {GraphMaker::pure("x", 0), GraphMaker::reduction("r", 5, false)});
    make.reads(out, start, {{0}});
    make.reads(update, out, {{0}});
    make.reads(update, a, {{0, 0, 4}});
    const StageGraph g = testing::with_work(make.finish(), 4);
    EXPECT_EQ(driver_of(g, out), update);
    const std::vector<Segment> all = segments_between(g, {});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(names(g, all[0].members), std::vector<std::string>{"a"});
    EXPECT_EQ(all[1].output, start);
}

TEST(Segments, RepeatTrivialFuncsAndCutSharedOnes) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 63}});
    const FuncId second = make.func("second", {"x"}, FuncRole::Output, Box{{0, 63}});
    const FuncId copy = make.func("copy", {"x"});
    const FuncId shared = make.func("shared", {"x"});
    const FuncId in = make.func("in", {"x"}, FuncRole::Input);
    make.reads(out, copy, {{0, -1, 1}});
    make.reads(second, copy, {{0, -1, 1}});
    make.reads(copy, shared, {{0}});
    make.reads(shared, in, {{0}});
    const StageGraph g = testing::with_work(make.finish(), 5, {{"copy", 0}});
    const std::vector<Segment> all = segments_between(g, {});
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].members, std::vector<FuncId>{copy});
    EXPECT_EQ(all[1].members, std::vector<FuncId>{copy});
    EXPECT_EQ(all[2].output, shared);
}

TEST(Segments, LeaveAloneWhatTheUserScheduledAndWhatThatReads) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 63}});
    const FuncId mine = make.func("mine", {"x"});
    const FuncId below = make.func("below", {"x"});
    make.reads(out, mine, {{0, -1, 1}});
    make.reads(mine, below, {{0, -1, 1}});
    make.edit(mine).locked = true;
    const StageGraph g = testing::with_work(make.finish(), 5);
    ASSERT_EQ(segments_between(g, {}).size(), 3u);
    EXPECT_TRUE(segments_between(g, {})[0].members.empty());
}

}  // namespace
}  // namespace cryolite
