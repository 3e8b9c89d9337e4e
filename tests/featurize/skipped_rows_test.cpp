// What a stage touches whose loads leave out rows between them.
#include <gtest/gtest.h>

#include "featurize/counts/kernel_work.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

constexpr int width = 4096, line = 64;
const Var x("x"), y("y");

// By position in the stack of loops y and x.
TouchedByRun touched_by(Halide::Func out, const Expr &value) {
    out(x, y) = value;
    estimate(out, {width / 2, 50});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id;
    const LoopNest nest = test::scheduled(built.graph, {action::ComputeRoot{o}});
    StageExpander expander(built.graph);
    FootprintWalker walker(built.graph);
    const KernelWork work(built.graph, test::some_machine(), expander, walker, nest,
                          std::vector{o});
    return work.stages()[0].reads[0].touched;
}

// What out reads of in, whose rows are `rows` below its own.
TouchedByRun touched(const std::vector<int> &rows) {
    ImageParam in(Float(32), 2, "in");
    in.set_estimates({{0, width}, {0, 200}});
    Expr sum = cast<float>(0);
    for (int row : rows) sum += in(x, y + row);
    return touched_by(Halide::Func("out"), sum);
}

double rows_of_bytes(double bytes) { return bytes / (width / 2 * 4 + line); }

// Found in batches of max_filter, whose columns read rows 19 apart: twenty streams were believed where
// there are two, more than prefetchers follow.
TEST(SkippedRows, AreNotTouched) {
    const TouchedByRun two = touched({0, 19});
    EXPECT_DOUBLE_EQ(two[1].streams, 2);
    EXPECT_NEAR(rows_of_bytes(two[1].bytes), 2, 0.05);
    EXPECT_NEAR(two[1].unique_bytes, 2 * width / 2 * 4, 1);
    EXPECT_NEAR(rows_of_bytes(two[1].span_bytes), 20, 0.3);
    EXPECT_NEAR(two[1].lines, two[1].span_bytes / line, 0.02 * two[1].lines);
    EXPECT_NEAR(rows_of_bytes(two[0].bytes), 69, 1);  // of all rows none is left out
    EXPECT_DOUBLE_EQ(two[0].bytes, two[0].span_bytes);
}

TEST(SkippedRows, AreWhatNoLoadTouches) {
    EXPECT_DOUBLE_EQ(touched({0, 1, 2})[1].streams, 3);
    EXPECT_DOUBLE_EQ(touched({0, 2, 9, 10})[1].streams, 4);
}

// Populations of a lattice, each of which streams in from another neighbour: nine rows, and not three of each plane.
// More streams than prefetchers follow were believed, and the time of a schedule was five times its own.
TEST(SkippedRows, OfPlanesAreThoseOfTheirLoads) {
    ImageParam in(Float(32), 3, "in");
    in.set_estimates({{0, width}, {0, 200}, {0, 9}});
    const int dx[] = {1, 2, 1, 0, 1, 2, 0, 0, 2}, dy[] = {1, 1, 2, 1, 0, 2, 2, 0, 0};
    Expr sum = cast<float>(0);
    for (int p = 0; p < 9; p++) sum += in(x + dx[p], y + dy[p], p);
    const TouchedByRun rows = touched_by(Halide::Func("out"), sum);
    EXPECT_DOUBLE_EQ(rows[1].streams, 9);
    EXPECT_NEAR(rows_of_bytes(rows[1].bytes), 9, 0.3);
    EXPECT_NEAR(rows_of_bytes(rows[0].bytes), 9 * 50, 5);
}

}  // namespace
}  // namespace cryolite
