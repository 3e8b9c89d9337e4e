#include "tests/apps/app_test.h"

#include <algorithm>
#include <cmath>

#include "resize_manual.h"
#include "resize_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

// The cubic convolution kernel, written out.
double keys(double t) {
    t = std::abs(t);
    if (t < 1.0) {
        return 1.5 * t * t * t - 2.5 * t * t + 1.0;
    }
    return t < 2.0 ? -0.5 * t * t * t + 2.5 * t * t - 4.0 * t + 2.0 : 0.0;
}

// In real numbers; the app's weights are multiples of 1/64.
Pixels reference(const Pixels &input, int width, int height) {
    Pixels output(width, height);
    output.for_each_element([&](int x, int y) {
        const double u = (x + 0.5) / 1.5 - 0.5, v = (y + 0.5) / 1.5 - 0.5;
        double value = 0.5;
        for (int j = int(std::floor(v)) - 1; j <= int(std::floor(v)) + 2; j++) {
            for (int i = int(std::floor(u)) - 1; i <= int(std::floor(u)) + 2; i++) {
                value += keys(u - i) * keys(v - j) *
                         input(std::clamp(i, 0, input.width() - 1),
                               std::clamp(j, 0, input.height() - 1));
            }
        }
        output(x, y) = std::uint8_t(std::clamp(value, 0.0, 255.0));
    });
    return output;
}

// The same with the three kinds of position in the period of 3:2 and their rounded weights.
Pixels rounded_reference(const Pixels &input, int width, int height) {
    // At 5/6, 1/2 and 1/6 of the way between two pixels.
    const int weights[3][4] = {{-1, 8, 61, -4}, {-4, 36, 36, -4}, {-4, 61, 8, -1}};
    Pixels output(width, height);
    output.for_each_element([&](int x, int y) {
        const int left = x / 3 * 2 + x % 3 - 2;
        const int top = y / 3 * 2 + y % 3 - 2;
        int sum = 2048;
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < 4; i++) {
                sum += weights[x % 3][i] * weights[y % 3][j] *
                       input(std::clamp(left + i, 0, input.width() - 1),
                             std::clamp(top + j, 0, input.height() - 1));
            }
        }
        output(x, y) = std::uint8_t(std::clamp(sum >> 12, 0, 255));
    });
    return output;
}

class ResizeTest : public testing::TestWithParam<Variant<decltype(resize_manual)>> {};

TEST_P(ResizeTest, enlarges_by_cubic_convolution) {
    Pixels input(134, 67), output(201, 101);
    fill_image(input, 0, 256);
    ASSERT_EQ(GetParam().function(input, output), 0);
    // Weights are off by up to 1/128 each.
    expect_images_near(reference(input, 201, 101), output, 6.0);
}

TEST_P(ResizeTest, is_exact_in_fixed_point_at_any_size) {
    for (const auto &[width, height] : {std::pair{203, 101}, {96, 49}, {7, 3}, {1, 1}}) {
        Pixels input((2 * width + 2) / 3, (2 * height + 2) / 3), output(width, height);
        fill_image(input, 0, 256);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(rounded_reference(input, width, height), output);
    }
}

CRYOLITE_INSTANTIATE_APP(ResizeTest, resize);

}  // namespace
}  // namespace cryolite::apps
