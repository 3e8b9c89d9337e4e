#include "tests/apps/networks/network_reference.h"

#include <cstdint>

#include "learned_demosaic_manual.h"
#include "learned_demosaic_root.h"

namespace cryolite::apps {
namespace {

constexpr int layers = 4;

struct Network {
    Image<float> first_filter, filters, biases, projection;
};

Network random_network(int channels) {
    const auto weights = [](int seed, auto... extents) {
        Image<float> image(extents...);
        fill_image(image, -0.3, 0.3, seed);
        return image;
    };
    Network network{weights(2, channels, 3, 3, 4), weights(3, channels, 3, 3, channels, layers - 1),
                    weights(4, channels, layers), weights(5, 12, channels)};
    // The test's fill knows four dimensions: without this all layers would be equal.
    network.filters.for_each_element([&](int c, int dx, int dy, int i, int layer) {
        network.filters(c, dx, dy, i, layer) *= (c + 3 * i + 5 * layer) % 7 < 4 ? 1.0f : -1.0f;
    });
    return network;
}

// Mirrored about the outermost pixels, as often as it takes.
int mirror(int i, int extent) {
    while (i < 0 || i >= extent) {
        i = i < 0 ? -i : 2 * (extent - 1) - i;
    }
    return i;
}

Image<float> reference(const Image<std::uint16_t> &mosaic, const Network &network) {
    const int width = mosaic.width(), height = mosaic.height();
    // A frame that the layers without padding eat up.
    Image<float> values(4, (width + 1) / 2 + 2 * layers, (height + 1) / 2 + 2 * layers, 1);
    values.for_each_element([&](int c, int x, int y, int) {
        values(c, x, y, 0) = float(mosaic(mirror(2 * (x - layers) + c % 2, width),
                                          mirror(2 * (y - layers) + c / 2, height)) /
                                   65535.0);
    });
    for (int layer = 0; layer < layers; layer++) {
        values = rectified(convolution_reference(
            values, layer == 0 ? network.first_filter : network.filters.sliced(4, layer - 1),
            network.biases.sliced(1, layer), 0));
    }
    Image<float> zero(12), output(width, height, 3);
    zero.fill(0.0f);
    const Image<float> residual =
        convolution_reference(values, as_square_filter(network.projection), zero, 0);
    output.for_each_element([&](int x, int y, int colour) {
        output(x, y, colour) = float(residual(4 * colour + 2 * (y % 2) + x % 2, x / 2, y / 2, 0) +
                                     mosaic(x, y) / 65535.0);
    });
    return output;
}

class LearnedDemosaicTest
    : public testing::TestWithParam<Variant<decltype(learned_demosaic_manual)>> {};

// The manual schedule needs at least 16 channels and rows of 32 pixels. Heights below and above a
// strip of 64 rows, odd ones too.
TEST_P(LearnedDemosaicTest, predicts_the_colours_of_every_pixel) {
    for (const auto &[width, height, channels] :
         {std::tuple{32, 2, 16}, {37, 9, 19}, {50, 64, 16}, {61, 133, 17}}) {
        Image<std::uint16_t> mosaic(width, height);
        fill_image(mosaic, 0, 65535);
        Network network = random_network(channels);
        Image<float> output(width, height, 3);
        ASSERT_EQ(GetParam().function(mosaic, network.first_filter, network.filters, network.biases,
                                      network.projection, output),
                  0);
        expect_images_near(reference(mosaic, network), output, 1e-4, 1e-4);
    }
}

CRYOLITE_INSTANTIATE_APP(LearnedDemosaicTest, learned_demosaic);

}  // namespace
}  // namespace cryolite::apps
