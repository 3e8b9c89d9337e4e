#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>

#include "colour_chain_manual.h"
#include "colour_chain_root.h"

namespace cryolite::apps {
namespace {

constexpr int maps = 10;

Image<float> reference(const Image<float> &input, const Image<float> &matrices) {
    Image<float> output(input.width(), input.height(), 3);
    for (int y = 0; y < input.height(); y++) {
        for (int x = 0; x < input.width(); x++) {
            std::array<double, 3> colour = {input(x, y, 0), input(x, y, 1), input(x, y, 2)};
            for (int i = 0; i < maps; i++) {
                std::array<double, 3> mapped{};
                for (int row = 0; row < 3; row++) {
                    double sum = matrices(3, row, i);
                    for (int j = 0; j < 3; j++) {
                        sum += matrices(j, row, i) * colour[size_t(j)];
                    }
                    mapped[size_t(row)] = std::clamp(sum, 0.0, 1.0);
                }
                colour = mapped;
            }
            for (int c = 0; c < 3; c++) {
                output(x, y, c) = float(colour[size_t(c)]);
            }
        }
    }
    return output;
}

class ColourChainTest : public testing::TestWithParam<Variant<decltype(colour_chain_manual)>> {};

TEST_P(ColourChainTest, maps_every_colour_ten_times_at_any_size) {
    for (const auto &[width, height] : {std::pair{301, 37}, {5, 19}, {1, 1}}) {
        Image<float> input(width, height, 3), matrices(4, 3, maps), output(width, height, 3);
        fill_image(input, 0.0, 1.0);
        fill_image(matrices, -0.4, 0.9, 3);
        ASSERT_EQ(GetParam().function(input, matrices, output), 0);
        expect_images_near(reference(input, matrices), output, 1e-5, 1e-4);
    }
}

TEST_P(ColourChainTest, applies_the_maps_in_their_order_and_keeps_values_inside_their_range) {
    Image<float> input(40, 4, 3), matrices(4, 3, maps), output(40, 4, 3);
    fill_image(input, 0.0, 1.0);
    matrices.fill(0.0f);
    for (int i = 0; i < maps; i++) {
        for (int c = 0; c < 3; c++) {
            matrices(c, c, i) = 1.0f;
        }
    }
    // The second map moves red above its range, where it is cut, and the fifth moves it back.
    matrices(3, 0, 1) = 0.75f;
    matrices(3, 0, 4) = -0.75f;
    // The last one swaps green and blue.
    matrices(1, 1, maps - 1) = matrices(2, 2, maps - 1) = 0.0f;
    matrices(2, 1, maps - 1) = matrices(1, 2, maps - 1) = 1.0f;
    ASSERT_EQ(GetParam().function(input, matrices, output), 0);
    Image<float> expected(40, 4, 3);
    expected.for_each_element([&](int x, int y, int c) {
        expected(x, y, c) =
            c == 0 ? std::min(input(x, y, 0) + 0.75f, 1.0f) - 0.75f : input(x, y, 3 - c);
    });
    expect_images_near(expected, output, 1e-6);
}

CRYOLITE_INSTANTIATE_APP(ColourChainTest, colour_chain);

}  // namespace
}  // namespace cryolite::apps
