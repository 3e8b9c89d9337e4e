#include "tests/apps/networks/network_reference.h"

#include "conv_conv_manual.h"
#include "conv_conv_root.h"

namespace cryolite::apps {
namespace {

class ConvConvTest : public testing::TestWithParam<Variant<decltype(conv_conv_manual)>> {};

// The manual schedule needs at least 16 channels in either layer and rows of 20 pixels. Heights
// below, at and above a strip of 32 rows.
TEST_P(ConvConvTest, convolves_twice) {
    for (const auto &[width, height, channels] :
         {std::tuple{20, 1, 16}, {23, 7, 19}, {41, 32, 16}, {31, 67, 17}}) {
        const int in_channels = 3, batch = 2;
        Image<float> input = random_image(1, in_channels, width + 4, height + 4, batch);
        Image<float> filter1 = random_image(2, channels, 3, 3, in_channels);
        Image<float> filter2 = random_image(4, channels, 3, 3, channels);
        Image<float> bias1 = random_image(3, channels), bias2 = random_image(5, channels);
        Image<float> output(channels, width, height, batch);
        ASSERT_EQ(GetParam().function(input, filter1, bias1, filter2, bias2, output), 0);
        const Image<float> layer1 = rectified(convolution_reference(input, filter1, bias1, 0));
        expect_images_near(rectified(convolution_reference(layer1, filter2, bias2, 0)), output,
                           1e-4, 1e-5);
    }
}

CRYOLITE_INSTANTIATE_APP(ConvConvTest, conv_conv);

}  // namespace
}  // namespace cryolite::apps
