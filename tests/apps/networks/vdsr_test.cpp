#include "tests/apps/networks/network_reference.h"

#include "vdsr_manual.h"
#include "vdsr_root.h"

namespace cryolite::apps {
namespace {

class VdsrTest : public testing::TestWithParam<Variant<decltype(vdsr_manual)>> {};

// The manual schedule needs at least 32 channels and rows of 8 pixels. Weights are scaled so that
// the values neither vanish nor explode on their way through the layers.
TEST_P(VdsrTest, passes_the_image_through_all_layers) {
    const int layers = 20;
    for (const auto &[width, height, channels] : {std::tuple{8, 1, 32}, {13, 5, 37}}) {
        const auto weights = [](int seed, auto... extents) {
            Image<float> image(extents...);
            fill_image(image, -0.16, 0.18, seed);
            return image;
        };
        Image<float> input = random_image(1, width, height);
        Image<float> first_filter = weights(2, channels, 3, 3);
        Image<float> filters = weights(3, channels, 3, 3, channels, layers - 2);
        Image<float> biases = weights(4, channels, layers - 1);
        Image<float> last_filter = weights(5, channels, 3, 3);
        // The test's fill knows four dimensions: without this all layers would be equal.
        filters.for_each_element([&](int c, int dx, int dy, int i, int layer) {
            filters(c, dx, dy, i, layer) *= (c + 3 * i + 5 * layer) % 7 < 4 ? 1.0f : -1.0f;
        });
        const float last_bias = 0.25f;
        Image<float> output(width, height);
        ASSERT_EQ(GetParam().function(input, first_filter, filters, biases, last_filter, last_bias,
                                      output),
                  0);

        Image<float> values(1, width, height, 1);
        values.for_each_element([&](int, int x, int y, int) { values(0, x, y, 0) = input(x, y); });
        for (int layer = 0; layer < layers - 1; layer++) {
            Image<float> filter(channels, 3, 3, layer == 0 ? 1 : channels);
            filter.for_each_element([&](int c, int dx, int dy, int i) {
                filter(c, dx, dy, i) =
                    layer == 0 ? first_filter(c, dx, dy) : filters(c, dx, dy, i, layer - 1);
            });
            values = rectified(convolution_reference(values, filter, biases.sliced(1, layer), 1));
        }
        Image<float> filter(1, 3, 3, channels), bias(1);
        filter.for_each_element(
            [&](int, int dx, int dy, int i) { filter(0, dx, dy, i) = last_filter(i, dx, dy); });
        bias(0) = last_bias;
        const Image<float> residual = convolution_reference(values, filter, bias, 1);
        Image<float> expected(width, height);
        double magnitude = 0.0;
        expected.for_each_element([&](int x, int y) {
            magnitude = std::max(magnitude, std::abs(double(residual(0, x, y, 0)) - last_bias));
            expected(x, y) = input(x, y) + residual(0, x, y, 0);
        });
        EXPECT_GT(magnitude, 1e-3) << "the layers' values vanish: the comparison would be empty";
        expect_images_near(expected, output, 1e-5 + 1e-4 * magnitude);
    }
}

CRYOLITE_INSTANTIATE_APP(VdsrTest, vdsr);

}  // namespace
}  // namespace cryolite::apps
