#include "tests/apps/networks/network_reference.h"

#include <cmath>

#include "layer_norm_manual.h"
#include "layer_norm_root.h"

namespace cryolite::apps {
namespace {

Image<float> reference(const Image<float> &input, const Image<float> &scale,
                       const Image<float> &shift) {
    const int width = input.width();
    Image<float> output(width, input.height());
    for (int row = 0; row < input.height(); row++) {
        double sum = 0.0, squares = 0.0;
        for (int c = 0; c < width; c++) {
            sum += input(c, row);
        }
        for (int c = 0; c < width; c++) {
            squares += std::pow(input(c, row) - sum / width, 2);
        }
        for (int c = 0; c < width; c++) {
            const double normal = (input(c, row) - sum / width) / std::sqrt(squares / width + 1e-5);
            output(c, row) = float(normal * scale(c) + shift(c));
        }
    }
    return output;
}

class LayerNormTest : public testing::TestWithParam<Variant<decltype(layer_norm_manual)>> {};

TEST_P(LayerNormTest, normalises_rows_of_any_size) {
    for (const auto &[width, rows] : {std::pair{1, 1}, {13, 7}, {64, 33}, {211, 65}}) {
        Image<float> input = random_image(1, width, rows);
        Image<float> scale = random_image(2, width), shift = random_image(3, width);
        Image<float> output(width, rows);
        ASSERT_EQ(GetParam().function(input, scale, shift, output), 0);
        expect_images_near(reference(input, scale, shift), output, 1e-5, 1e-5);
    }
}

// The mean of the squares minus the square of the mean would lose all digits here.
TEST_P(LayerNormTest, keeps_small_deviations_from_a_large_mean) {
    Image<float> input(101, 3), scale(101), shift(101), output(101, 3);
    input.for_each_element([&](int c, int row) { input(c, row) = 4096.0f + float((c + row) % 2); });
    scale.fill(1.0f);
    shift.fill(0.0f);
    ASSERT_EQ(GetParam().function(input, scale, shift, output), 0);
    expect_images_near(reference(input, scale, shift), output, 5e-3);
}

CRYOLITE_INSTANTIATE_APP(LayerNormTest, layer_norm);

}  // namespace
}  // namespace cryolite::apps
