// Loads that stand still over a block of points: f(8 * (x / 8)), whose coefficient alone would say that x moves it.
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

class BlockLoads : public ::testing::Test {
protected:
    // Cycles for the loads of a picture, in vectors of so many points.
    double cycles(const Expr &column, int lanes) {
        Halide::Func out("out");
        // The remainder makes vectors begin at multiples of 16.
        out(x, y) = image(column, y) + image(x % 16, y);
        estimate(out, {960, 64});
        const BuiltGraph built = build({out});
        const StageId s = func(built, out).stages[0];
        return test::cycles_of(scheduled(built.graph, {action::ComputeRoot{func(built, out).id},
                                                       action::Vectorize{s, 0, lanes}}),
                               some_machine(), s)
            .loads;
    }

    Var x{"x"}, y{"y"};
    ImageParam image{Float(32), 2, "image"};
};

TEST_F(BlockLoads, AreOnePerLaneInVectorsOfSeveralBlocks) {
    const double neighbours = cycles(x + 16, 16), blocks = cycles(8 * (x / 8), 16);
    const double lanes_of_picture = 960.0 * 64;
    EXPECT_NEAR(blocks - neighbours, lanes_of_picture * some_machine().vector.gather_element,
                0.2 * blocks);
}

TEST_F(BlockLoads, AreOnePerVectorWithinABlock) {
    EXPECT_LE(cycles(8 * (x / 8), 8), cycles(x + 16, 8));
    EXPECT_LE(cycles(x / 8, 8), cycles(x + 16, 8));
    EXPECT_GT(cycles(8 * ((x + 1) / 8), 8), 2 * cycles(x + 16, 8));
}

}  // namespace
}  // namespace cryolite
