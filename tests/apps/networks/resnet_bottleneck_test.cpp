#include "tests/apps/networks/network_reference.h"

#include "resnet_bottleneck_manual.h"
#include "resnet_bottleneck_root.h"

namespace cryolite::apps {
namespace {

class ResnetBottleneckTest
    : public testing::TestWithParam<Variant<decltype(resnet_bottleneck_manual)>> {};

// The manual schedule needs at least 32 channels everywhere and rows of 8 pixels. Heights below, at
// and above a strip of 14 rows; one image is so low that every row touches the padding.
TEST_P(ResnetBottleneckTest, reduces_filters_expands_and_adds_the_input) {
    for (const auto &[width, height, wide, narrow] :
         {std::tuple{8, 1, 48, 32}, {17, 2, 53, 37}, {29, 14, 48, 32}, {15, 31, 41, 33}}) {
        const int batch = 2;
        Image<float> input = random_image(1, wide, width, height, batch);
        Image<float> reduce_filter = random_image(2, narrow, wide);
        Image<float> reduce_bias = random_image(3, narrow);
        Image<float> spatial_filter = random_image(4, narrow, 3, 3, narrow);
        Image<float> spatial_bias = random_image(5, narrow);
        Image<float> expand_filter = random_image(6, wide, narrow);
        Image<float> expand_bias = random_image(7, wide);
        Image<float> output(wide, width, height, batch);
        ASSERT_EQ(GetParam().function(input, reduce_filter, reduce_bias, spatial_filter,
                                      spatial_bias, expand_filter, expand_bias, output),
                  0);
        const Image<float> reduced = rectified(
            convolution_reference(input, as_square_filter(reduce_filter), reduce_bias, 0));
        const Image<float> spatial =
            rectified(convolution_reference(reduced, spatial_filter, spatial_bias, 1));
        Image<float> expected =
            convolution_reference(spatial, as_square_filter(expand_filter), expand_bias, 0);
        expected.for_each_element(
            [&](int c, int x, int y, int n) { expected(c, x, y, n) += input(c, x, y, n); });
        expect_images_near(rectified(expected), output, 2e-3, 1e-5);
    }
}

CRYOLITE_INSTANTIATE_APP(ResnetBottleneckTest, resnet_bottleneck);

}  // namespace
}  // namespace cryolite::apps
