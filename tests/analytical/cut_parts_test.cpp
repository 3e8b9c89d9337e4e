// Core-bound cycles of sums in the last part of a guarded split, where they fill no whole vector.
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::some_machine;

constexpr int lanes = 16, rows = 127;  // of the copy: 128

// Sums of 64 values in vectors, computed in parts of 16 columns of a copy. None may read past the end of the input.
struct CutParts : testing::Test {
    Var x{"x"}, y{"y"};

    // The cycles that all productions wait for results. join: vectors are four rows high, and joined to fill one.
    double waiting(int width, bool join) {
        ImageParam input(UInt(8), 2, "input");
        RDom k(0, 64, "k");
        Halide::Func sums("sums"), copy("copy"), out("out");
        sums(x, y) += input(x, y + k);
        copy(x, y) = sums(x, y);
        out(x, y) = copy(x, y) + copy(x, y + 1);
        estimate(out, {width, rows});
        const BuiltGraph built = build({out});
        const FuncId c = func(built, copy).id, s = func(built, sums).id;
        const StageId copied = built.graph.func(c).stages[0],
                      summed = built.graph.func(s).stages[1];
        const int16_t column = test::loop_over(built.graph.stage(copied), 0),
                      row = test::loop_over(built.graph.stage(copied), 1),
                      sum_column = test::loop_over(built.graph.stage(summed), 0),
                      sum_row = test::loop_over(built.graph.stage(summed), 1);
        Trace trace{
            action::ComputeRoot{func(built, out).id},
            action::ComputeRoot{c},
            action::Tile{copied, column, {lanes}},
            action::Tile{copied, row, {4}},
            action::Reorder{
                copied,
                {{copied, row, 0}, {copied, column, 0}, {copied, row, 1}, {copied, column, 1}}},
            action::ComputeAt{s, {copied, column, 0}}};
        if (join) {
            trace.push_back(action::Tile{summed, sum_column, {lanes}});
            trace.push_back(action::Vectorize{summed, sum_row, 4});
            trace.push_back(
                action::Reorder{summed,
                                {{summed, test::loop_over(built.graph.stage(summed), -1), 0},
                                 {summed, sum_row, 0},
                                 {summed, sum_column, 0},
                                 {summed, sum_column, 1},
                                 {summed, sum_row, 1}}});
            trace.push_back(action::Join{{summed, sum_column, 1}});
        } else {
            trace.push_back(action::Vectorize{summed, sum_column, lanes});
        }
        const LoopNest nest = test::scheduled(built.graph, trace);
        const double parts = (width + lanes - 1) / lanes;
        return parts * test::cycles_of(nest, some_machine(), summed).dependence;
    }
};

// Found in a search for motion, 25 places in parts of 16: it took five times as long as predicted.
TEST_F(CutParts, WaitForMaskedStores) {
    for (const bool join : {false, true}) {
        const double whole = waiting(10 * lanes, join), cut = waiting(10 * lanes + 9, join);
        EXPECT_GT(cut - whole, 3 * whole / 10) << join;
        EXPECT_LT(cut - whole, 20 * whole / 10) << join;
    }
}

}  // namespace
}  // namespace cryolite
