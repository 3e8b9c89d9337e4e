// What counts as inlined until it is decided.
#include "graph/assumed_inlining.h"

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

struct AssumedInlining : testing::Test {
    Var x{"x"}, y{"y"};
    Halide::Func out{"out"};
    ImageParam image{Float(32), 2, "image"};

    bool is_assumed_inlined(const Halide::Func &f) {
        image.set_estimates({{0, 640}, {0, 480}});
        const BuiltGraph built = build({out});
        return assumed_inlined(built.graph)[func(built, f).id.index()];
    }
};

TEST_F(AssumedInlining, IsOfABoundaryConditionReadAtOnePoint) {
    const Halide::Func repeated = BoundaryConditions::repeat_edge(image);
    out(x, y) = repeated(x + 100, y) * 2;
    estimate(out, {640, 480});
    EXPECT_TRUE(is_assumed_inlined(repeated));
}

// Vectors of every fourth weight are gathered, wherever they are read.
TEST_F(AssumedInlining, IsOfACopyOfNeighboursAlone) {
    for (int step : {1, 4}) {
        Halide::Func copied("copied");
        copied(x, y) = image(step * x, y);
        out = Halide::Func("out");
        out(x, y) = copied(x, y) * 2;
        estimate(out, {160, 480});
        EXPECT_EQ(is_assumed_inlined(copied), step == 1);
    }
}

TEST_F(AssumedInlining, IsNotOfAStencilReadByAStencil) {
    Halide::Func rows("rows");
    rows(x, y) = image(x, y) + image(x + 1, y);
    out(x, y) = rows(x, y) + rows(x, y + 1);
    estimate(out, {639, 479});
    EXPECT_FALSE(is_assumed_inlined(rows));
}

// Its root region is 60,000 points wide, of which 640 by 480 are read.
TEST_F(AssumedInlining, IsOfWhatIsReadAtFewPlacesOfALargeRegion) {
    Halide::Func squared("squared");
    ImageParam place(Int(16), 2, "place");
    place.set_estimates({{0, 640}, {0, 480}});
    squared(x, y) = image(clamp(x, 0, 639), clamp(y, 0, 479)) * image(clamp(x + 1, 0, 639), 0);
    out(x, y) = squared(x + place(x, y), y);
    estimate(out, {640, 480});
    EXPECT_TRUE(is_assumed_inlined(squared));
    EXPECT_GT(points(func(build({out}), squared).root_region), 30'000'000);
}

TEST_F(AssumedInlining, IsOfNoReduction) {
    Halide::Func sums("sums");
    ImageParam place(Int(16), 2, "place");
    place.set_estimates({{0, 640}, {0, 480}});
    const RDom r(0, 8, "r");
    sums(x, y) += image(clamp(x + r, 0, 639), clamp(y, 0, 479));
    out(x, y) = sums(x + place(x, y), y);
    estimate(out, {640, 480});
    EXPECT_FALSE(is_assumed_inlined(sums));
}

}  // namespace
}  // namespace cryolite
