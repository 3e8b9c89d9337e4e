#include "tests/apps/app_test.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "convolution_manual.h"
#include "convolution_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

Pixels reference(const Pixels &input, const Image<float> &kernel) {
    Pixels output(input.width() - 2, input.height() - 2, 3);
    output.for_each_element([&](int x, int y, int c) {
        double sum = 0.0;
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 3; i++) {
                sum += double(kernel(i, j)) * input(x + i, y + j, c);
            }
        }
        output(x, y, c) = std::uint8_t(std::clamp(std::floor(sum + 0.5), 0.0, 255.0));
    });
    return output;
}

class ConvolutionTest : public testing::TestWithParam<Variant<decltype(convolution_manual)>> {
protected:
    // No two taps alike; multiples of 1/64, so that no order of summation rounds anything.
    static Image<float> kernel() {
        Image<float> taps(3, 3);
        taps.for_each_element(
            [&](int i, int j) { taps(i, j) = float((7 * i + 5 * j * j) % 23 - 6) / 64; });
        return taps;
    }

    void expect_right(int width, int height) {
        Pixels input(width + 2, height + 2, 3), output(width, height, 3);
        fill_image(input, 0, 256);
        Image<float> taps = kernel();
        ASSERT_EQ(GetParam().function(input, taps, output), 0);
        expect_images_equal(reference(input, taps), output);
    }
};

TEST_P(ConvolutionTest, filters_at_odd_sizes) {
    for (const auto &[width, height] : {std::pair{203, 101}, {64, 65}, {67, 5}, {64, 4}}) {
        expect_right(width, height);
    }
}

TEST_P(ConvolutionTest, filters_tiny_images) {
    if (std::string(GetParam().name) == "manual") {
        GTEST_SKIP() << "the manual schedule needs one tile";
    }
    for (const auto &[width, height] : {std::pair{7, 3}, {1, 1}}) {
        expect_right(width, height);
    }
}

CRYOLITE_INSTANTIATE_APP(ConvolutionTest, convolution);

}  // namespace
}  // namespace cryolite::apps
