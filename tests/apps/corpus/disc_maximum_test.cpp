#include "tests/apps/app_test.h"

#include <algorithm>

#include "disc_maximum_manual.h"
#include "disc_maximum_root.h"

namespace cryolite::apps {
namespace {

// Every pixel of the disc inside the image, one by one.
Image<float> reference(const Image<float> &input) {
    const double radius = 26.25;
    Image<float> output(input.width(), input.height(), 3);
    output.for_each_element([&](int x, int y, int c) {
        float largest = input(x, y, c);
        for (int v = std::max(0, y - 26); v <= std::min(input.height() - 1, y + 26); v++) {
            for (int u = std::max(0, x - 26); u <= std::min(input.width() - 1, x + 26); u++) {
                if ((u - x) * (u - x) + (v - y) * (v - y) <= radius * radius) {
                    largest = std::max(largest, input(u, v, c));
                }
            }
        }
        output(x, y, c) = largest;
    });
    return output;
}

class DiscMaximumTest : public testing::TestWithParam<Variant<decltype(disc_maximum_manual)>> {};

TEST_P(DiscMaximumTest, takes_the_maximum_over_a_disc_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {53, 3}, {1, 1}}) {
        Image<float> input(width, height, 3), output(width, height, 3);
        fill_image(input, -1.0, 1.0);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(reference(input), output);
    }
}

TEST_P(DiscMaximumTest, spreads_a_point_into_a_disc) {
    Image<float> input(101, 89, 3), output(101, 89, 3);
    input.fill(0.25f);
    input(50, 44, 1) = 1.0f;
    ASSERT_EQ(GetParam().function(input, output), 0);
    expect_images_equal(reference(input), output);
}

CRYOLITE_INSTANTIATE_APP(DiscMaximumTest, disc_maximum);

}  // namespace
}  // namespace cryolite::apps
