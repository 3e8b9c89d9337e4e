// What a production of a sliding window touches and keeps.
#include <gtest/gtest.h>

#include <map>

#include "code/legality/apply.h"
#include "featurize/counts/kernel_work.h"
#include "machine/presets.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite {
namespace {

struct WindowBytes {
    double stored = 0;  // by one production
    double lines = 0;   // the same, as KernelWork counts lines
    double allocated = 0;
};

// Of the second Func of the graph in a window along the output's rows.
WindowBytes window_bytes(const StageGraph &graph) {
    const FuncId out(0), window(1);
    const LoopName rows{graph.func(out).stages[0], 1, 0};
    const Trace trace{action::ComputeRoot{out}, action::ComputeAt{window, rows},
                      action::StoreAt{window, std::nullopt}};
    const Result<LoopNest, ReplayFailure> nest = replay(graph, trace);
    EXPECT_TRUE(nest.ok());
    StageExpander expander(graph);
    FootprintWalker walker(graph);
    const KernelWork work(graph, machine_presets().front().machine, expander, walker, *nest,
                          std::vector{out, window});
    WindowBytes bytes;
    bytes.allocated = work.members().at(window).allocated_bytes;
    for (const StageWork &w : work.stages())
        if (w.code->stage->func == window) {
            bytes.stored = w.stores.touched[w.code->enclosing].bytes;
            bytes.lines = w.stores.touched[w.code->enclosing].lines;
        }
    return bytes;
}

TEST(WindowWork, AProductionTouchesTheLinesOfTheNewRowOnly) {
    EXPECT_DOUBLE_EQ(window_bytes(testing::blur_graph(640, 480)).lines, 640 * 4 / 64);
}

TEST(WindowWork, AProductionWritesTheNewRowOnly) {
    const StageGraph graph = testing::blur_graph(640, 480);
    const Func &blur_x = graph.func(FuncId(1));
    EXPECT_DOUBLE_EQ(window_bytes(graph).stored,
                     line_bytes(blur_x, {{0, 639}, {240, 240}}, blur_x.root_region, 64));
}

// 480 rows of out in strips of 16; a window of 5 rows, so that 20 of it are computed per strip: Halide starts its loop
// 4 iterations earlier to fill it. f is computed in the loop that walks the window's rows, or in the window's own loop.
// All that fills the window needs 3 rows of f for each of its rows.
TEST(WindowWork, WhatIsComputedToFillAWindowCounts) {
    testing::GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 639}, {0, 479}});
    const FuncId window = make.func("window", {"x", "y"}), f = make.func("f", {"x", "y"});
    make.reads(out, window, {{0}, {1, -2, 2}});
    make.reads(window, f, {{0}, {1, -1, 1}});
    make.give_last_edge_an_access(Clamp::None);
    const StageGraph graph = make.finish();
    const StageId o = graph.func(out).stages[0];
    const LoopName strips{o, 1, 0}, rows{o, 1, 1}, inside{graph.func(window).stages[0], 1, 0};
    for (const LoopName &site : {inside, rows}) {
        const Result<LoopNest, ReplayFailure> nest =
            replay(graph, Trace{action::ComputeRoot{out}, action::Tile{o, 1, {16}},
                                action::Reorder{o, {strips, rows, {o, 0, 0}}},
                                action::ComputeAt{window, rows}, action::StoreAt{window, strips},
                                action::ComputeAt{f, site}});
        ASSERT_TRUE(nest.ok());
        StageExpander expander(graph);
        FootprintWalker walker(graph);
        const KernelWork work(graph, machine_presets().front().machine, expander, walker, *nest,
                              std::vector{out, window, f});
        std::map<FuncId, double> points;
        for (const StageWork &s : work.stages()) points[s.code->stage->func] = s.code->runs.back();
        EXPECT_DOUBLE_EQ(points[out], 640 * 480);
        EXPECT_DOUBLE_EQ(points[window], 640 * 30 * 20);
        EXPECT_DOUBLE_EQ(points[f], 640 * 30 * 20 * 3);
        EXPECT_DOUBLE_EQ(work.members().at(f).fill, site == rows ? 1.25 : 1);
    }
}

// Halide computes only the new points of such a window, but keeps all of them.
TEST(WindowWork, AWindowThatGrowsKeepsAllOfIt) {
    testing::GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 9}, {0, 99}});
    const FuncId sums = make.func("sums", {"y"});
    // The first row, too: sums(0) + sums(y).
    make.reads(out, sums, {{-1, 0, 0}});
    make.give_last_edge_an_access_along(std::nullopt);
    make.reads(out, sums, {{1}});
    make.give_last_edge_an_access_along(1);
    const StageGraph graph = make.finish();
    EXPECT_EQ(window_bytes(graph).allocated, 100 * 4);
}

}  // namespace
}  // namespace cryolite
