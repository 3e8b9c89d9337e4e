#include "tests/apps/networks/network_reference.h"

#include "depthwise_separable_conv_manual.h"
#include "depthwise_separable_conv_root.h"

namespace cryolite::apps {
namespace {

class DepthwiseSeparableConvTest
    : public testing::TestWithParam<Variant<decltype(depthwise_separable_conv_manual)>> {};

// The manual schedule needs at least 16 output channels and rows of 16 pixels.
TEST_P(DepthwiseSeparableConvTest, filters_each_channel_and_mixes_them) {
    for (const auto &[width, height, in_channels, out_channels] :
         {std::tuple{16, 1, 3, 16}, {19, 3, 17, 23}, {37, 8, 32, 16}, {53, 17, 1, 29}}) {
        const int batch = 2;
        Image<float> input = random_image(1, in_channels, width, height, batch);
        Image<float> depthwise_filter = random_image(2, in_channels, 3, 3);
        Image<float> pointwise_filter = random_image(3, out_channels, in_channels);
        Image<float> bias = random_image(4, out_channels);
        Image<float> output(out_channels, width, height, batch);
        ASSERT_EQ(GetParam().function(input, depthwise_filter, pointwise_filter, bias, output), 0);

        // A filter per channel is a full one that is zero off its diagonal.
        Image<float> diagonal(in_channels, 3, 3, in_channels), zero(in_channels);
        diagonal.for_each_element([&](int c, int dx, int dy, int i) {
            diagonal(c, dx, dy, i) = c == i ? depthwise_filter(c, dx, dy) : 0.0f;
        });
        zero.fill(0.0f);
        const Image<float> depthwise = convolution_reference(input, diagonal, zero, 1);
        expect_images_near(rectified(convolution_reference(
                               depthwise, as_square_filter(pointwise_filter), bias, 0)),
                           output, 1e-4, 1e-5);
    }
}

CRYOLITE_INSTANTIATE_APP(DepthwiseSeparableConvTest, depthwise_separable_conv);

}  // namespace
}  // namespace cryolite::apps
