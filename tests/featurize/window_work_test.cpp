// What a production of a sliding window touches and keeps.
#include <gtest/gtest.h>

#include "featurize/kernel_work.h"
#include "machine/presets.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite {
namespace {

struct WindowBytes {
    double stored = 0;  // by one production
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
                          {out, window});
    WindowBytes bytes;
    bytes.allocated = work.members().at(window).allocated_bytes;
    for (const StageWork &w : work.stages())
        if (w.stage->func == window) bytes.stored = w.stores.bytes[w.enclosing];
    return bytes;
}

// Disabled: one row is computed, and all three rows of the window count as touched. To count the new
// one only changes the cost of every schedule with a window.
TEST(WindowWork, DISABLED_AProductionWritesTheNewRowOnly) {
    const StageGraph graph = testing::blur_graph(640, 480);
    const Func &blur_x = graph.func(FuncId(1));
    EXPECT_DOUBLE_EQ(window_bytes(graph).stored,
                     line_bytes(blur_x, {{0, 639}, {240, 240}}, blur_x.root_region, 64));
}

// Disabled: the storage is folded to what the window takes in mid-range. That a window grows is not
// known of a FuncNest.
TEST(WindowWork, DISABLED_AWindowThatGrowsKeepsAllOfIt) {
    testing::GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 9}, {0, 99}});
    const FuncId sums = make.func("sums", {"y"});
    // The first row, too: sums(0) + sums(y).
    make.reads(out, sums, {{-1, 0, 0}});
    make.reads(out, sums, {{1}});
    const StageGraph graph = make.finish();
    EXPECT_EQ(window_bytes(graph).allocated, 100 * 4);
}

}  // namespace
}  // namespace cryolite
