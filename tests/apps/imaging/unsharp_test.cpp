#include "tests/apps/app_test.h"

#include <algorithm>
#include <vector>

#include "unsharp_manual.h"
#include "unsharp_root.h"

namespace cryolite::apps {
namespace {

Image<float> reference(const Image<float> &input) {
    const int width = input.width(), height = input.height();
    std::vector<double> tap(7);
    double sum = 0;
    for (int i = -3; i <= 3; i++) {
        sum += tap[size_t(i + 3)] = std::exp(-i * i / (2 * 1.5 * 1.5));
    }
    const auto luminance = [&](int x, int y) {
        x = std::clamp(x, 0, width - 1);
        y = std::clamp(y, 0, height - 1);
        return 0.299 * input(x, y, 0) + 0.587 * input(x, y, 1) + 0.114 * input(x, y, 2);
    };
    Image<float> output(width, height, 3);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double blurred = 0;
            for (int dy = -3; dy <= 3; dy++) {
                for (int dx = -3; dx <= 3; dx++) {
                    blurred += tap[size_t(dx + 3)] * tap[size_t(dy + 3)] / (sum * sum) *
                               luminance(x + dx, y + dy);
                }
            }
            const double here = luminance(x, y);
            const double ratio = (2 * here - blurred) / std::max(here, 1e-4);
            for (int c = 0; c < 3; c++) {
                output(x, y, c) = float(ratio * input(x, y, c));
            }
        }
    }
    return output;
}

class UnsharpTest : public testing::TestWithParam<Variant<decltype(unsharp_manual)>> {};

TEST_P(UnsharpTest, scales_colours_by_sharpened_luminance_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {33, 65}, {5, 2}, {1, 1}}) {
        Image<float> input(width, height, 3), output(width, height, 3);
        fill_image(input, 0.05, 1.0);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_near(reference(input), output, 1e-5, 1e-4);
    }
}

TEST_P(UnsharpTest, leaves_black_black) {
    Image<float> input(40, 40, 3), output(40, 40, 3), black(40, 40, 3);
    input.fill(0.0f);
    black.fill(0.0f);
    ASSERT_EQ(GetParam().function(input, output), 0);
    expect_images_equal(black, output);
}

CRYOLITE_INSTANTIATE_APP(UnsharpTest, unsharp);

}  // namespace
}  // namespace cryolite::apps
