// Which dimensions of two Funcs walk the same of what both read.
#include "graph/facts/followed_dims.h"

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

struct FollowedDims : testing::Test {
    Var x{"x"}, y{"y"}, c{"c"};
    RDom r{0, 16, "r"};
    ImageParam in{Float(32), 2, "in"};
    Halide::Func sum{"sum"}, scaled{"scaled"}, deviation{"deviation"};

    FollowedDims() {
        sum(y) += in(r, y);
        deviation(y) = sqrt(sum(y));
    }
    std::vector<int> follow(const std::vector<int> &sizes) {
        estimate(scaled, sizes);
        estimate(deviation, {16});
        const BuiltGraph built = build({deviation, scaled});
        back = followed_dims(built.graph, func(built, scaled).id, func(built, deviation).id);
        return followed_dims(built.graph, func(built, deviation).id, func(built, scaled).id);
    }
    std::vector<int> back;
};

TEST_F(FollowedDims, LeadThroughOtherFuncs) {
    Halide::Func scale{"scale"};
    scale(y) = 1.0f / sum(y);
    scaled(x, y) = in(x, y) * scale(y);
    EXPECT_EQ(follow({16, 16}), (std::vector<int>{1}));
    EXPECT_EQ(back, (std::vector<int>{-1, 0}));
}

TEST_F(FollowedDims, MayStandInAnotherOrder) {
    scaled(y, c, x) = in(x, y) / sum(y) + c;
    EXPECT_EQ(follow({16, 4, 16}), (std::vector<int>{0}));
    EXPECT_EQ(back, (std::vector<int>{0, -1, -1}));
}

TEST_F(FollowedDims, TakeStepsOfOne) {
    scaled(x, y) = in(x, 2 * y) / sum(2 * y);
    EXPECT_EQ(follow({16, 8}), (std::vector<int>{-1}));
}

TEST_F(FollowedDims, AreNotToldByReadsAlongSeveral) {
    scaled(x, y) = in(x, y) + in(y, x);
    EXPECT_EQ(follow({16, 16}), (std::vector<int>{-1}));
}

}  // namespace
}  // namespace cryolite
