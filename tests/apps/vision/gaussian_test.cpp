#include "tests/apps/app_test.h"

#include <algorithm>
#include <cmath>

#include "gaussian_manual.h"
#include "gaussian_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

Pixels reference(const Pixels &input, const Image<float> &kernel_x, const Image<float> &kernel_y) {
    Pixels output(input.width() - 4, input.height() - 4, 3);
    output.for_each_element([&](int x, int y, int c) {
        double sum = 0.0;
        for (int j = 0; j < 5; j++) {
            for (int i = 0; i < 5; i++) {
                sum += double(kernel_x(i)) * double(kernel_y(j)) * input(x + i, y + j, c);
            }
        }
        output(x, y, c) = std::uint8_t(std::clamp(std::floor(sum + 0.5), 0.0, 255.0));
    });
    return output;
}

class GaussianTest : public testing::TestWithParam<Variant<decltype(gaussian_manual)>> {};

TEST_P(GaussianTest, filters_at_any_size) {
    // Different taps everywhere, all multiples of 1/64: no order of summation rounds anything.
    const float taps_x[] = {2, 14, 31, 11, 6}, taps_y[] = {5, 13, 27, 16, 3};
    Image<float> kernel_x(5), kernel_y(5);
    for (int i = 0; i < 5; i++) {
        kernel_x(i) = taps_x[i] / 64;
        kernel_y(i) = taps_y[i] / 64;
    }
    for (const auto &[width, height] : {std::pair{203, 101}, {64, 65}, {7, 3}, {1, 1}}) {
        Pixels input(width + 4, height + 4, 3), output(width, height, 3);
        fill_image(input, 0, 256);
        ASSERT_EQ(GetParam().function(input, kernel_x, kernel_y, output), 0);
        expect_images_equal(reference(input, kernel_x, kernel_y), output);
    }
}

TEST_P(GaussianTest, saturates) {
    Image<float> kernel_x(5), kernel_y(5);
    kernel_x.fill(1.0f);
    for (const float tap : {-1.0f, 1.0f}) {
        kernel_y.fill(tap);
        Pixels input(37, 9, 3), output(33, 5, 3);
        input.fill(200);
        ASSERT_EQ(GetParam().function(input, kernel_x, kernel_y, output), 0);
        expect_images_equal(reference(input, kernel_x, kernel_y), output);
    }
}

CRYOLITE_INSTANTIATE_APP(GaussianTest, gaussian);

}  // namespace
}  // namespace cryolite::apps
