// Loops near those that a Func has.
#include "search/refinement/nearby_loops.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cryolite {
namespace {

using Loops = std::vector<Action>;

constexpr StageId first{0}, second{1};

bool offers(const Loops &loops, const Loops &wanted) {
    const std::vector<Loops> nearby = nearby_loops(loops);
    return std::ranges::find(nearby, wanted) != nearby.end();
}

Loops tiled(std::vector<int64_t> spans) { return {action::Tile{first, 1, std::move(spans)}}; }

TEST(NearbyLoops, HaveOnePartOfTheNextLevelMoreOrLess) {
    EXPECT_TRUE(offers(tiled({32, 6}), tiled({35, 7}))) << "the nearest multiple of 7";
    EXPECT_TRUE(offers(tiled({24, 6}), tiled({30, 6})));
    EXPECT_TRUE(offers(tiled({24, 6}), tiled({18, 6})));
    EXPECT_TRUE(offers(tiled({24, 6}), tiled({48, 6})));
}

TEST(NearbyLoops, HaveSpansThatDivideThoseAround) {
    for (const Loops &loops : nearby_loops(tiled({96, 24, 8}))) {
        const auto &spans = std::get<action::Tile>(loops[0]).spans;
        ASSERT_EQ(spans.size(), 3);
        EXPECT_GT(spans[2], 0);
        EXPECT_EQ(spans[0] % spans[1], 0) << spans[0] << " " << spans[1];
        EXPECT_EQ(spans[1] % spans[2], 0) << spans[1] << " " << spans[2];
    }
}

TEST(NearbyLoops, OfASumAndItsStartChangeTogetherOrAlone) {
    const auto both = [](int64_t a, int64_t b) {
        return Loops{action::Tile{first, 0, {a}}, action::Tile{second, 1, {b}}};
    };
    EXPECT_TRUE(offers(both(8, 8), both(16, 16)));
    EXPECT_TRUE(offers(both(8, 8), both(16, 8)));
    EXPECT_TRUE(offers(both(8, 8), both(8, 16)));
    const auto vectors = [](int width) {
        return Loops{action::Vectorize{first, 0, width}, action::Vectorize{second, 1, width}};
    };
    EXPECT_TRUE(offers(vectors(16), vectors(8)));
}

TEST(NearbyLoops, SwapNeighboursAndUnrollOneLoop) {
    const LoopName x{first, 0, 0}, y{first, 1, 0}, y_inside{first, 1, 1};
    const Action order = action::Reorder{first, {y, x, y_inside}};
    EXPECT_TRUE(offers({order}, {action::Reorder{first, {x, y, y_inside}}}));
    EXPECT_TRUE(offers({order}, {order, action::Unroll{y_inside}}));
    EXPECT_FALSE(offers({order}, {order, action::Unroll{x}})) << "of unknown extent";
    EXPECT_TRUE(offers({order, action::Unroll{y_inside}}, {order}));
}

TEST(NearbyLoops, HaveOneParallelLoopMoreOrLess) {
    const auto parallel = [](int count) { return Loops{action::Parallel{first, count}}; };
    EXPECT_TRUE(offers(parallel(2), parallel(1)));
    EXPECT_TRUE(offers(parallel(2), parallel(3)));
    EXPECT_FALSE(offers(parallel(1), parallel(0)));
    // Inside of steps there is one, which need not pay.
    const Action inside = action::Parallel{first, 1, 1};
    EXPECT_TRUE(offers({inside}, {}));
    EXPECT_FALSE(offers({inside}, {action::Parallel{first, 2, 1}}));
}

}  // namespace
}  // namespace cryolite
