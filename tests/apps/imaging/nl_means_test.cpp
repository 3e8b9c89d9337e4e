#include "tests/apps/app_test.h"

#include <algorithm>

#include "nl_means_manual.h"
#include "nl_means_root.h"

namespace cryolite::apps {
namespace {

// Pixel by pixel, and per pair of pixels the whole patch again.
Image<float> reference(const Image<float> &input, double sigma) {
    const int width = input.width(), height = input.height();
    const auto at = [&](int x, int y, int c) {
        return double(input(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1), c));
    };
    Image<float> output(width, height, 3);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum[4] = {};
            for (int v = y - 3; v <= y + 3; v++) {
                for (int u = x - 3; u <= x + 3; u++) {
                    double distance = 0;
                    for (int k = 0; k < 49 * 3; k++) {
                        const int i = k % 7 - 3, j = k / 7 % 7 - 3, c = k / 49;
                        distance += std::pow(at(x + i, y + j, c) - at(u + i, v + j, c), 2);
                    }
                    const double weight = std::exp(-distance / (sigma * sigma * 49));
                    for (int c = 0; c < 4; c++) {
                        sum[c] += weight * (c < 3 ? at(u, v, c) : 1.0);
                    }
                }
            }
            for (int c = 0; c < 3; c++) {
                output(x, y, c) = float(sum[c] / sum[3]);
            }
        }
    }
    return output;
}

class NonLocalMeansTest : public testing::TestWithParam<Variant<decltype(nl_means_manual)>> {};

TEST_P(NonLocalMeansTest, averages_similar_patches_at_any_size) {
    for (const auto &[width, height] : {std::pair{67, 37}, {5, 41}, {1, 1}}) {
        Image<float> input(width, height, 3), output(width, height, 3);
        fill_image(input, 0.0, 1.0);
        ASSERT_EQ(GetParam().function(input, 0.4f, output), 0);
        expect_images_near(reference(input, 0.4), output, 1e-4);
    }
}

TEST_P(NonLocalMeansTest, keeps_an_edge_that_a_mean_would_blur) {
    Image<float> input(60, 40, 3), output(60, 40, 3);
    input.for_each_element([&](int x, int y, int c) { input(x, y, c) = x < 31 ? 0.1f : 0.9f; });
    ASSERT_EQ(GetParam().function(input, 0.05f, output), 0);
    expect_images_near(input, output, 1e-3);
}

CRYOLITE_INSTANTIATE_APP(NonLocalMeansTest, nl_means);

}  // namespace
}  // namespace cryolite::apps
