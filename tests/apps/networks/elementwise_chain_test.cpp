#include "tests/apps/networks/network_reference.h"

#include <cmath>
#include <cstdint>

#include "elementwise_chain_manual.h"
#include "elementwise_chain_root.h"

namespace cryolite::apps {
namespace {

constexpr int blocks = 6;

class ElementwiseChainTest
    : public testing::TestWithParam<Variant<decltype(elementwise_chain_manual)>> {};

// The manual schedule needs at least 32 channels.
TEST_P(ElementwiseChainTest, transforms_every_element) {
    for (const auto &[channels, tokens, batch] :
         {std::tuple{32, 1, 1}, {37, 17, 3}, {101, 33, 2}}) {
        Image<std::uint8_t> input(channels, tokens, batch), mask(tokens, batch);
        fill_image(input, 0, 256);
        mask.for_each_element([&](int t, int n) { mask(t, n) = (t + n) % 3 == 1 ? 0 : t + 1; });
        Image<float> scale = random_image(1, channels, blocks);
        Image<float> shift = random_image(2, channels, blocks);
        Image<float> fallback = random_image(3, batch), output(channels, tokens, batch);
        ASSERT_EQ(GetParam().function(input, scale, shift, mask, fallback, output), 0);

        Image<float> expected(channels, tokens, batch);
        expected.for_each_element([&](int c, int t, int n) {
            double value = input(c, t, n) / 32.0 - 4.0;
            for (int block = 0; block < blocks; block++) {
                const double affine = value * scale(c, block) + shift(c, block);
                const double swish = affine / (1.0 + std::exp(-affine));
                const double eighth = std::clamp(std::nearbyint(swish * 16.0), -128.0, 127.0);
                value += mask(t, n) != 0 ? std::tanh(eighth / 16.0) : fallback(n);
                value = std::clamp(value, -6.0, 6.0);
            }
            expected(c, t, n) = float(value);
        });
        // A value next to the border of two quantisation steps may be rounded into either.
        expect_images_near(expected, output, 1e-4, 0.0, 0.002);
    }
}

CRYOLITE_INSTANTIATE_APP(ElementwiseChainTest, elementwise_chain);

}  // namespace
}  // namespace cryolite::apps
