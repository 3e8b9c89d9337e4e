// What an update writes of a Func whose points are chosen by data: votes, histograms.
#include <gtest/gtest.h>

#include "featurize/counts/kernel_work.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

// Found in Hough votes whose angles are voted for side by side: each vote counted as written to all distances, which
// was priced at a second in place of milliseconds.
TEST(ScatteredStores, TouchNoMorePointsThanThereAreIterations) {
    constexpr int distances = 1280, angles = 48, pixels = 512;
    Var x("x"), y("y");
    ImageParam place(Int(32), 2, "place");
    RDom r(0, pixels, "r");
    Halide::Func votes("votes");
    votes(x, y) = 0;
    votes(clamp(place(r, y), 0, distances - 1), y) += 1;
    estimate(votes, {distances, angles});
    estimate(place, {pixels, angles});
    const BuiltGraph built = build({votes});
    const Func &f = func(built, votes);
    const int16_t pure = test::loop_over(built.graph.stage(f.stages[1]), 1);
    const int16_t reduction = test::loop_over(built.graph.stage(f.stages[1]), -1);
    const LoopNest nest = test::scheduled(
        built.graph,
        {action::ComputeRoot{f.id},
         action::Reorder{f.stages[1], {{f.stages[1], reduction, 0}, {f.stages[1], pure, 0}}}});
    StageExpander expander(built.graph);
    FootprintWalker walker(built.graph);
    const KernelWork work(built.graph, test::some_machine(), expander, walker, nest,
                          std::vector{f.id});
    const StageWork &update = work.stages()[1];
    const double line = test::some_machine().line_bytes();
    EXPECT_LE(update.stores.touched[2].bytes, line);           // one vote
    EXPECT_LE(update.stores.touched[1].bytes, angles * line);  // the votes of one pixel
    EXPECT_GT(update.stores.touched[1].bytes, (angles - 1) * line);
    EXPECT_GE(update.stores.touched[0].bytes, 4.0 * distances * angles);  // all
    // The pure stage writes every point.
    EXPECT_GE(work.stages()[0].stores.touched[0].bytes, 4.0 * distances * angles);
}

}  // namespace
}  // namespace cryolite
