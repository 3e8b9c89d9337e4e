// Regions and sliding windows against what one works out by hand.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "code/legality/validate.h"
#include "code/regions/regions.h"
#include "schedule/loop_nest.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite::testing {
namespace {

LoopNest replayed(const StageGraph &graph, const Trace &trace) {
    Result<LoopNest, ReplayFailure> nest = replay(graph, trace);
    if (!nest) {
        ADD_FAILURE() << "action " << nest.error().failed_at << ": " << name(nest.error().reason);
        return LoopNest(graph);
    }
    EXPECT_EQ(validate(*nest), "");
    return *nest;
}

LoopName loop(const StageGraph &graph, const char *func, int dim, int level, int stage = 0) {
    return {graph.func(graph.find(func)).stages[static_cast<size_t>(stage)],
            static_cast<int16_t>(dim), static_cast<int16_t>(level)};
}

TEST(Regions, BlurAtTilesNeedsATileWithItsBorder) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x"), in = graph.find("in");
    const StageId s = graph.func(out).stages[0];
    Trace trace{action::ComputeRoot{out}, action::Tile{s, 0, {64}}, action::Tile{s, 1, {32}},
                action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
                action::ComputeAt{blur_x, {s, 0, 0}}};
    const LoopNest nest = replayed(graph, trace);
    EXPECT_EQ(nest.at(blur_x).compute_region, (Box{{256, 319}, {223, 256}}));
    EXPECT_EQ(nest.at(blur_x).store_region, nest.at(blur_x).compute_region);
    EXPECT_EQ(nest.at(blur_x).slide_dim, -1);
    const StageNest &stage = nest.at(blur_x).stages[0];
    EXPECT_EQ(stage.loops[0].extent, 34);
    EXPECT_EQ(stage.loops[1].extent, 64);
    // The input through both: one column more on each side.
    EXPECT_EQ(required_region(nest, in, LoopName{s, 0, 0}), (Box{{255, 320}, {223, 256}}));
    EXPECT_EQ(required_region(nest, in, LoopName{s, 1, 0}), (Box{{-1, 640}, {223, 256}}));
    // Inside blur_x: one row of it.
    EXPECT_EQ(required_region(nest, in, loop(graph, "blur_x", 1, 0)),
              (Box{{255, 320}, {239, 239}}));
}

TEST(Regions, InlinedReadersAreLookedThrough) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out");
    const StageId s = graph.func(out).stages[0];
    const LoopNest nest =
        replayed(graph, {action::ComputeRoot{out}, action::Inline{graph.find("blur_x")}});
    EXPECT_EQ(required_region(nest, graph.find("in"), LoopName{s, 0, 0}),
              (Box{{318, 320}, {238, 240}}));
}

TEST(Regions, RowsStoredAtRootSlideByOneRow) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    const StageId s = graph.func(out).stages[0];
    const LoopNest nest =
        replayed(graph, {action::ComputeRoot{out}, action::ComputeAt{blur_x, {s, 1, 0}},
                         action::StoreAt{blur_x, std::nullopt}});
    const FuncNest &placed = nest.at(blur_x);
    EXPECT_EQ(placed.compute_region, (Box{{0, 639}, {238, 240}}));
    EXPECT_EQ(placed.store_region, graph.func(blur_x).root_region);
    EXPECT_EQ(placed.slide_dim, 1);
    EXPECT_EQ(placed.slide_step, 1);
    EXPECT_EQ(placed.stages[0].range, (Box{{0, 639}, {240, 240}}));
    // What feeds the window is needed for the new row only.
    EXPECT_EQ(required_region(nest, graph.find("in"), LoopName{s, 1, 0}),
              (Box{{-1, 640}, {240, 240}}));
}

TEST(Regions, StripsOfRowsSlideByTheStrip) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    const StageId s = graph.func(out).stages[0];
    const LoopNest nest = replayed(
        graph, {action::ComputeRoot{out}, action::Tile{s, 1, {32, 2}},
                action::ComputeAt{blur_x, {s, 1, 1}}, action::StoreAt{blur_x, LoopName{s, 1, 0}}});
    const FuncNest &placed = nest.at(blur_x);
    EXPECT_EQ(placed.compute_region, (Box{{0, 639}, {237, 240}}));
    EXPECT_EQ(placed.store_region, (Box{{0, 639}, {223, 256}}));
    EXPECT_EQ(placed.slide_dim, 1);
    EXPECT_EQ(placed.slide_step, 2);
}

TEST(Regions, NoWindowWhereTheRegionMovesInTwoDimensionsOrDoesNotOverlap) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 63}});
    const FuncId skewed = make.func("skewed", {"x", "y"});
    const FuncId sparse = make.func("sparse", {"x", "y"});
    make.reads(out, skewed, {{1, -1, 1}, {1, -1, 1}});
    make.reads(out, sparse, {{0}, {1, 0, 2, 3}});
    const StageGraph graph = make.finish();
    const LoopName y{graph.func(out).stages[0], 1, 0};
    for (FuncId f : {skewed, sparse}) {
        const LoopNest nest = replayed(graph, {action::ComputeRoot{out}, action::ComputeAt{f, y}});
        EXPECT_EQ(find_slide(nest, f, y).dim, -1);
    }
}

TEST(Regions, PyramidHalvesAndDoubles) {
    const StageGraph graph = pyramid_graph();
    const FuncId out = graph.find("out"), up = graph.find("up"), coarse = graph.find("coarse"),
                 fine = graph.find("fine");
    const StageId s = graph.func(out).stages[0];
    const LoopName tile{s, 0, 0};
    const LoopNest nest = replayed(
        graph,
        {action::ComputeRoot{out}, action::Tile{s, 0, {32}}, action::Tile{s, 1, {16}},
         action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}}, action::Inline{up},
         action::ComputeAt{coarse, tile}, action::ComputeAt{fine, tile}});
    // The tile: x 96..127, y 112..127.
    EXPECT_EQ(nest.at(coarse).compute_region, (Box{{48, 64}, {56, 64}}));
    // Its own points hulled with what coarse needs: 2 * 48 - 1 .. 2 * 64 + 1.
    EXPECT_EQ(nest.at(fine).compute_region, (Box{{95, 129}, {111, 129}}));
    EXPECT_EQ(graph.func(coarse).root_region, (Box{{0, 128}, {0, 128}}));
}

TEST(Regions, UpsamplingSlidesByHalfARow) {
    const StageGraph graph = pyramid_graph();
    const FuncId out = graph.find("out"), up = graph.find("up"), coarse = graph.find("coarse");
    const StageId s = graph.func(out).stages[0];
    const LoopNest nest = replayed(
        graph, {action::ComputeRoot{out}, action::Inline{up}, action::ComputeAt{coarse, {s, 1, 0}},
                action::StoreAt{coarse, std::nullopt}});
    EXPECT_EQ(nest.at(coarse).slide_dim, 1);
    EXPECT_EQ(nest.at(coarse).slide_step, 1);
}

TEST(Regions, TransposedReadersTurnTheBox) {
    const StageGraph graph = transpose_graph();
    const FuncId out = graph.find("out"), turned = graph.find("turned");
    const StageId s = graph.func(out).stages[0];
    const LoopNest nest =
        replayed(graph, {action::ComputeRoot{out}, action::ComputeAt{turned, {s, 1, 0}}});
    EXPECT_EQ(graph.func(turned).root_region, (Box{{0, 49}, {0, 100}}));
    EXPECT_EQ(nest.at(turned).compute_region, (Box{{24, 24}, {0, 100}}));
}

TEST(Regions, ReductionLoopsNarrowWhatIsReadInside) {
    const StageGraph graph = matmul_graph();
    const FuncId product = graph.find("product"), scaled = graph.find("scaled");
    const StageId update = graph.func(product).stages[1];
    const LoopNest nest = replayed(
        graph,
        {action::ComputeRoot{graph.find("out")}, action::ComputeRoot{product},
         action::Tile{update, 2, {16}}, action::Tile{update, 0, {32}},
         action::Reorder{
             update,
             {{update, 1, 0}, {update, 0, 0}, {update, 2, 0}, {update, 2, 1}, {update, 0, 1}}},
         action::ComputeAt{scaled, {update, 2, 0}}});
    EXPECT_EQ(nest.at(scaled).compute_region, (Box{{32, 63}, {16, 31}}));
    EXPECT_EQ(required_region(nest, graph.find("a"), LoopName{update, 2, 0}),
              (Box{{16, 31}, {63, 63}}));
}

TEST(Regions, UpdatesComputeWhatTheyReadOfThemselves) {
    const StageGraph graph = histogram_graph();
    const FuncId out = graph.find("out"), scan = graph.find("scan");
    const StageId s = graph.func(out).stages[0];
    LoopNest nest =
        replayed(graph, {action::ComputeRoot{out}, action::ComputeRoot{graph.find("histogram")},
                         action::ComputeAt{scan, {s, 1, 0}}});
    // One row of out needs one row of scan, the scan over it all 32 and the one before.
    EXPECT_EQ(nest.at(scan).compute_region, (Box{{0, 63}, {-1, 31}}));
    // An unbounded read is the whole Func.
    EXPECT_EQ(required_region(nest, graph.find("histogram"), LoopName{s, 0, 0}), (Box{{0, 255}}));
}

TEST(Sites, AreTheLoopsAroundAllReaders) {
    const StageGraph graph = pyramid_graph();
    const FuncId out = graph.find("out"), up = graph.find("up"), coarse = graph.find("coarse"),
                 fine = graph.find("fine");
    const StageId s = graph.func(out).stages[0];
    const LoopName x{s, 0, 0}, y{s, 1, 0};
    LoopNest nest = replayed(graph, {action::ComputeRoot{out}, action::ComputeAt{up, y}});
    const LoopName up_x = loop(graph, "up", 0, 0), up_y = loop(graph, "up", 1, 0);
    EXPECT_EQ(legal_sites(nest, coarse), (std::vector<LoopName>{up_x, up_y, y}));
    nest = *cryolite::apply(nest, action::ComputeAt{coarse, up_y});
    EXPECT_EQ(legal_sites(nest, fine), (std::vector<LoopName>{y}));
    EXPECT_EQ(nest.enclosing(up_x), (std::vector<LoopName>{y, up_y, up_x}));
    // Through an inlined reader.
    nest = replayed(graph, {action::ComputeRoot{out}, action::Inline{up}});
    EXPECT_EQ(legal_sites(nest, coarse), (std::vector<LoopName>{x, y}));
}

TEST(Sites, StopAtVectorsAndSkipFusedLoops) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    const StageId s = graph.func(out).stages[0];
    const LoopNest nest = replayed(
        graph, {action::ComputeRoot{out}, action::Tile{s, 1, {8}}, action::Vectorize{s, 0, 16},
                action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
                action::Unroll{{s, 1, 1}}, action::Parallel{s, 2}});
    EXPECT_EQ(legal_sites(nest, blur_x), (std::vector<LoopName>{{s, 0, 0}}));
}

TEST(Sites, ReadersInSeveralStagesOfAFuncShareOnlyTheLoopsAroundIt) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 63}});
    const FuncId both = make.func("both", {"x", "y"});
    const FuncId f = make.func("f", {"x", "y"});
    const StageId update = make.stage(both, {GraphMaker::pure("x", 0), GraphMaker::pure("y", 1)});
    make.reads(out, both, {{0}, {1}});
    make.reads(both, f, {{0}, {1}});
    make.reads(update, f, {{0}, {1}});
    const StageGraph graph = make.finish();
    const LoopName y{graph.func(out).stages[0], 1, 0};
    const LoopNest nest = replayed(graph, {action::ComputeRoot{out}, action::ComputeAt{both, y}});
    EXPECT_EQ(legal_sites(nest, f), (std::vector<LoopName>{y}));
}

}  // namespace
}  // namespace cryolite::testing
