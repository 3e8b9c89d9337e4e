#include "tests/apps/app_test.h"

#include <cmath>

#include "rgb_yuv420_manual.h"
#include "rgb_yuv420_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

// Halves round down, towards minus infinity, as a shift does.
int scaled(int r, int g, int b, int offset) {
    return int(std::floor((r + g + b + 128) / 256.0)) + offset;
}

class RgbYuv420Test : public testing::TestWithParam<Variant<decltype(rgb_yuv420_manual)>> {};

TEST_P(RgbYuv420Test, converts_at_any_size) {
    for (const auto &[width, height] : {std::pair{203, 101}, {128, 66}, {64, 33}, {7, 3}, {2, 2}}) {
        Pixels input(width, height, 3), luma(width, height), expected_luma(width, height);
        Pixels blue(width / 2, height / 2), red(width / 2, height / 2);
        Pixels expected_blue(width / 2, height / 2), expected_red(width / 2, height / 2);
        fill_image(input, 0, 256);
        expected_luma.for_each_element([&](int x, int y) {
            expected_luma(x, y) = std::uint8_t(
                scaled(66 * input(x, y, 0), 129 * input(x, y, 1), 25 * input(x, y, 2), 16));
        });
        for (int y = 0; y < height / 2; y++) {
            for (int x = 0; x < width / 2; x++) {
                int mean[3];
                for (int c = 0; c < 3; c++) {
                    mean[c] = (input(2 * x, 2 * y, c) + input(2 * x + 1, 2 * y, c) +
                               input(2 * x, 2 * y + 1, c) + input(2 * x + 1, 2 * y + 1, c) + 2) /
                              4;
                }
                expected_blue(x, y) =
                    std::uint8_t(scaled(-38 * mean[0], -74 * mean[1], 112 * mean[2], 128));
                expected_red(x, y) =
                    std::uint8_t(scaled(112 * mean[0], -94 * mean[1], -18 * mean[2], 128));
            }
        }
        ASSERT_EQ(GetParam().function(input, luma, blue, red), 0);
        expect_images_equal(expected_luma, luma);
        expect_images_equal(expected_blue, blue);
        expect_images_equal(expected_red, red);
    }
}

CRYOLITE_INSTANTIATE_APP(RgbYuv420Test, rgb_yuv420);

}  // namespace
}  // namespace cryolite::apps
