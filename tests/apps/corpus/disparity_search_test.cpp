#include "tests/apps/app_test.h"

#include <algorithm>
#include <cstdlib>

#include "disparity_search_manual.h"
#include "disparity_search_root.h"

namespace cryolite::apps {
namespace {

using Bytes = Image<std::uint8_t>;

constexpr int disparities = 32, radius = 4;

int at(const Bytes &image, int x, int y) {
    return image(std::clamp(x, 0, image.width() - 1), std::clamp(y, 0, image.height() - 1));
}

// What matching the left image's x with the right one's x - z costs.
int cost(const Bytes &left, const Bytes &right, int x, int y, int z) {
    int sum = 0;
    for (int v = y - radius; v <= y + radius; v++) {
        for (int u = x - radius; u <= x + radius; u++) {
            sum += std::abs(at(left, u, v) - at(right, u - z, v));
        }
    }
    return sum;
}

template <typename CostOf>
int cheapest(CostOf cost_of) {
    int best = 0;
    for (int z = 1; z < disparities; z++) {
        best = cost_of(z) < cost_of(best) ? z : best;
    }
    return best;
}

Bytes reference(const Bytes &left, const Bytes &right) {
    Bytes output(left.width(), left.height());
    output.for_each_element([&](int x, int y) {
        const int found = cheapest([&](int z) { return cost(left, right, x, y, z); });
        const int seen_at = x - found;
        const int back = cheapest([&](int z) { return cost(left, right, seen_at + z, y, z); });
        output(x, y) = std::uint8_t(std::abs(found - back) <= 1 ? found : 255);
    });
    return output;
}

// A scene whose pixels lie `shift` columns further left in the right image.
void make_pair(Bytes &left, Bytes &right, int shift) {
    left.for_each_element([&](int x, int y) {
        left(x, y) = std::uint8_t(255 * test_value(x, y, 0, 0));
        right(x, y) = std::uint8_t(255 * test_value(x + shift, y, 0, 0));
    });
}

class DisparitySearchTest
    : public testing::TestWithParam<Variant<decltype(disparity_search_manual)>> {};

TEST_P(DisparitySearchTest, takes_the_winner_that_both_images_agree_on_at_any_size) {
    for (const auto &[width, height] : {std::pair{141, 71}, {300, 5}, {1, 1}}) {
        Bytes left(width, height), right(width, height), output(width, height);
        fill_image(left, 0, 255, 1);
        fill_image(right, 0, 255, 2);
        ASSERT_EQ(GetParam().function(left, right, output), 0);
        expect_images_equal(reference(left, right), output);
        make_pair(left, right, 3);
        ASSERT_EQ(GetParam().function(left, right, output), 0);
        expect_images_equal(reference(left, right), output);
    }
}

TEST_P(DisparitySearchTest, finds_how_far_a_scene_is_shifted) {
    Bytes left(200, 40), right(200, 40), output(200, 40);
    make_pair(left, right, 17);
    ASSERT_EQ(GetParam().function(left, right, output), 0);
    for (int x = 60; x < 140; x++) {
        EXPECT_EQ(output(x, 20), 17) << x;
    }
}

CRYOLITE_INSTANTIATE_APP(DisparitySearchTest, disparity_search);

}  // namespace
}  // namespace cryolite::apps
