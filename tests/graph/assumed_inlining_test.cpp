// What counts as inlined until it is decided.
#include "graph/facts/assumed_inlining.h"

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

struct PointwiseLink : testing::Test {
    Var x{"x"}, y{"y"};
    Halide::Func link{"link"}, reader{"reader"}, out{"out"};
    ImageParam image{Float(32), 2, "image"};

    bool is_link() {
        out(x, y) = reader(x, y) + reader(x + 1, y);
        estimate(out, {640, 480});
        image.set_estimates({{0, 642}, {0, 482}});
        const BuiltGraph built = build({out});
        return is_pointwise_link(built.graph, func(built, link));
    }
};

TEST_F(PointwiseLink, IsReadOnceAtItsOwnPoint) {
    link(x, y) = image(x, y) * image(x + 1, y);
    reader(x, y) = link(x, y) - image(x, y + 1);
    EXPECT_TRUE(is_link());
}

TEST_F(PointwiseLink, IsNotReadByTwo) {
    link(x, y) = image(x, y) * 2;
    reader(x, y) = link(x, y) + 1;
    out(x, y) = reader(x, y) + link(x, y);
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    EXPECT_FALSE(is_pointwise_link(built.graph, func(built, link)));
}

TEST_F(PointwiseLink, IsNotReadElsewhere) {
    link(x, y) = image(x, y) * 2;
    reader(x, y) = link(x, y) + link(x + 1, y);
    EXPECT_FALSE(is_link());
}

TEST_F(PointwiseLink, IsNotReadAcross) {
    link(x, y) = image(x, y) * 2;
    reader(x, y) = link(y, x) + 1;
    EXPECT_FALSE(is_link());
}

// Each of its points is computed many times inside such a reader.
TEST_F(PointwiseLink, IsNotReadByMorePointsThanItHas) {
    link(x) = image(x, 0) * 2;
    reader(x, y) = link(x) + image(x, y);
    EXPECT_FALSE(is_link());
}

TEST_F(PointwiseLink, IsNotReadInAReduction) {
    const RDom r(0, 3, "r");
    link(x, y) = image(x, y) * 2;
    reader(x, y) += link(x, y) * r;
    EXPECT_FALSE(is_link());
}

// Bytes that are stored for a stencil of floats take a quarter of the memory.
TEST_F(PointwiseLink, HasNoSmallerValuesThanItsReader) {
    link(x, y) = cast<uint8_t>(image(x, y) * 2);
    reader(x, y) = cast<float>(link(x, y));
    EXPECT_FALSE(is_link());
}

TEST_F(PointwiseLink, IsNotReadByAnOutput) {
    link(x, y) = image(x, y) * 2;
    reader(x, y) = image(x, y);
    out(x, y) = link(x, y) + reader(x, y) + reader(x + 1, y);
    estimate(out, {640, 480});
    image.set_estimates({{0, 642}, {0, 482}});
    const BuiltGraph built = build({out});
    EXPECT_FALSE(is_pointwise_link(built.graph, func(built, link)));
}

TEST_F(PointwiseLink, EndsWhereBodiesGetLarge) {
    const auto polynomial = [](Expr value, int terms) {
        Expr sum = value;
        for (int i = 0; i < terms; i++) sum = sum * value + cast<float>(i + 2);
        return sum;
    };
    link(x, y) = polynomial(image(x, y), 20);
    reader(x, y) = polynomial(link(x, y), 20);
    EXPECT_TRUE(is_link());
    link = Halide::Func("link");
    reader = Halide::Func("reader");
    out = Halide::Func("out");
    link(x, y) = polynomial(image(x, y), 100);
    reader(x, y) = polynomial(link(x, y), 100);
    EXPECT_FALSE(is_link());
}

}  // namespace
}  // namespace cryolite
