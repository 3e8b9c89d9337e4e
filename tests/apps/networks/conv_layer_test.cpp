#include "tests/apps/networks/network_reference.h"

#include "conv_layer_manual.h"
#include "conv_layer_root.h"

namespace cryolite::apps {
namespace {

class ConvLayerTest : public testing::TestWithParam<Variant<decltype(conv_layer_manual)>> {};

// The manual schedule needs at least 32 output channels and rows of 10 pixels.
TEST_P(ConvLayerTest, convolves_adds_the_bias_and_rectifies) {
    const int in_channels = 7, out_channels = 45, width = 13, height = 5, batch = 2;
    Image<float> input = random_image(1, in_channels, width + 2, height + 2, batch);
    Image<float> filter = random_image(2, out_channels, 3, 3, in_channels);
    Image<float> bias = random_image(3, out_channels);
    Image<float> output(out_channels, width, height, batch);
    ASSERT_EQ(GetParam().function(input, filter, bias, output), 0);
    expect_images_near(rectified(convolution_reference(input, filter, bias, 0)), output, 1e-4,
                       1e-5);
}

CRYOLITE_INSTANTIATE_APP(ConvLayerTest, conv_layer);

}  // namespace
}  // namespace cryolite::apps
