#include "tests/apps/app_test.h"

#include <algorithm>

#include "conv_layer_manual.h"
#include "conv_layer_root.h"

namespace cryolite::apps {
namespace {

Image<float> reference(const Image<float> &input, const Image<float> &filter,
                       const Image<float> &bias) {
    Image<float> output(bias.width(), input.dim(1).extent() - 2, input.dim(2).extent() - 2,
                        input.dim(3).extent());
    output.for_each_element([&](int c, int x, int y, int n) {
        double sum = bias(c);
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                for (int i = 0; i < input.dim(0).extent(); i++) {
                    sum += double(filter(c, dx, dy, i)) * input(i, x + dx, y + dy, n);
                }
            }
        }
        output(c, x, y, n) = float(std::max(sum, 0.0));
    });
    return output;
}

class ConvLayerTest : public testing::TestWithParam<Variant<decltype(conv_layer_manual)>> {};

// The manual schedule needs at least 32 output channels and rows of 10 pixels.
TEST_P(ConvLayerTest, convolves_adds_the_bias_and_rectifies) {
    const int in_channels = 7, out_channels = 45, width = 13, height = 5, batch = 2;
    Image<float> input(in_channels, width + 2, height + 2, batch);
    Image<float> filter(out_channels, 3, 3, in_channels), bias(out_channels);
    Image<float> output(out_channels, width, height, batch);
    fill_image(input, -1.0, 1.0, 1);
    fill_image(filter, -1.0, 1.0, 2);
    fill_image(bias, -1.0, 1.0, 3);
    ASSERT_EQ(GetParam().function(input, filter, bias, output), 0);
    expect_images_near(reference(input, filter, bias), output, 1e-4, 1e-5);
}

CRYOLITE_INSTANTIATE_APP(ConvLayerTest, conv_layer);

}  // namespace
}  // namespace cryolite::apps
