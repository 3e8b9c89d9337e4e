// Woven vectors, against vectors of neighbours that cover the same points.
#include <gtest/gtest.h>

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;
using test::some_machine;

constexpr int width = 960, rows = 64;

class WovenCycles : public ::testing::Test {
protected:
    WovenCycles() {
        estimate(image, {2 * width, rows});
        at_any_place(x, y) = BoundaryConditions::repeat_edge(image)(x, y);
    }

    // Cycles of one row of f.
    StageCycles of(int32_t points, int32_t woven) {
        out(x, y) = f(x, y) + f(x, y + 1);
        estimate(out, {width, rows});
        const BuiltGraph built = build({out});
        const FuncId o = func(built, out).id, middle = func(built, f).id;
        const StageId s = built.graph.func(middle).stages[0];
        const LoopNest nest =
            scheduled(built.graph, {action::ComputeRoot{o}, action::ComputeRoot{middle},
                                    action::Vectorize{s, 0, points, woven}});
        StageCycles cycles = test::cycles_of(nest, some_machine(), s);
        out = Halide::Func("out");
        return cycles;
    }

    Expr number(int n) { return cast<float>(n); }

    const int lanes = some_machine().vector_bytes / 4;  // of whole vectors
    Var x{"x"}, y{"y"};
    ImageParam image{Float(32), 2, "image"};
    Halide::Func at_any_place{"at_any_place"}, f{"f"}, out{"out"};
};

// Three weights by the place in the period, and positions two thirds of a point apart.
TEST_F(WovenCycles, AResamplingHasConstantWeightsAndStrides) {
    Expr sum = number(0);
    for (int tap = 0; tap < 4; tap++)
        sum += mux(x % 3, {number(tap + 1), number(2 * tap + 1), number(3 * tap + 2)}) *
               at_any_place(x * 2 / 3 + tap, y);
    f(x, y) = sum;
    const StageCycles woven = of(3 * lanes, 3), neighbours = of(2 * lanes, 1);
    EXPECT_LT(woven.arithmetic, 0.5 * neighbours.arithmetic);
    EXPECT_LT(woven.loads, 0.5 * neighbours.loads);
    EXPECT_GT(woven.stores, neighbours.stores) << "they are woven by shuffles";
}

TEST_F(WovenCycles, ColoursOfAMosaicAreComputedWhereTheyAre) {
    f(x, y) = select(x % 2 == 0, sqrt(at_any_place(x, y)), at_any_place(x, y) / 3 + 1);
    const StageCycles woven = of(2 * lanes, 2), neighbours = of(2 * lanes, 1);
    EXPECT_NEAR(woven.arithmetic, 0.5 * neighbours.arithmetic, 0.25 * neighbours.arithmetic);
}

// Luma beside chroma that stands still for `run` points. Both move two bytes a point. Halide takes the vectors apart for
// two points, as Y U Y V has them, and loads each lane by itself for eight.
TEST_F(WovenCycles, ChromaBesideLumaIsGatheredInLongRuns) {
    const auto loads = [this](const Expr &chroma) {
        f = Halide::Func("f");
        f(x, y) = at_any_place(2 * x, y) + chroma;
        return of(lanes, 1).loads;
    };
    const double luma = loads(at_any_place(2 * x + 1, y));
    const double vectors = static_cast<double>(width * (rows + 1)) / lanes;
    const double gathers = vectors * lanes * some_machine().vector.gather_element;
    EXPECT_LT(loads(at_any_place(4 * (x / 2) + 1, y)) - luma, 0.8 * gathers);
    EXPECT_GT(loads(at_any_place(16 * (x / 8) + 1, y)) - luma, 0.8 * gathers);
}

// Both vectors need the same points: one load.
TEST_F(WovenCycles, AnEnlargementByTwoLoadsEachPointOnce) {
    f(x, y) = at_any_place(x / 2, y) + number(1);
    const StageCycles woven = of(2 * lanes, 2), neighbours = of(2 * lanes, 1);
    EXPECT_LE(woven.loads, neighbours.loads);
}

// Nothing repeats: every second point is a shuffle for nothing.
TEST_F(WovenCycles, NothingIsGainedWhereNothingRepeats) {
    f(x, y) = at_any_place(x, y) + number(1);
    const StageCycles woven = of(2 * lanes, 2), neighbours = of(2 * lanes, 1);
    EXPECT_GT(woven.loads, neighbours.loads);
    EXPECT_GT(woven.stores, neighbours.stores);
    EXPECT_NEAR(woven.arithmetic, neighbours.arithmetic, 0.01 * neighbours.arithmetic);
}

}  // namespace
}  // namespace cryolite
