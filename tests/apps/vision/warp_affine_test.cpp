#include "tests/apps/app_test.h"

#include <algorithm>
#include <cmath>

#include "warp_affine_manual.h"
#include "warp_affine_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

struct Map {
    float a00, a01, b0, a10, a11, b1;
};

Pixels reference(const Pixels &input, const Map &map, int width, int height) {
    Pixels output(width, height);
    output.for_each_element([&](int x, int y) {
        const double u = double(map.a00) * x + double(map.a01) * y + double(map.b0);
        const double v = double(map.a10) * x + double(map.a11) * y + double(map.b1);
        double value = 0.5;
        for (int dy = 0; dy < 2; dy++) {
            for (int dx = 0; dx < 2; dx++) {
                const double left = std::floor(u) + dx, top = std::floor(v) + dy;
                const double weight = (1.0 - std::abs(u - left)) * (1.0 - std::abs(v - top));
                value += weight * input(int(std::clamp(left, 0.0, double(input.width() - 1))),
                                        int(std::clamp(top, 0.0, double(input.height() - 1))));
            }
        }
        output(x, y) = std::uint8_t(value);
    });
    return output;
}

class WarpAffineTest : public testing::TestWithParam<Variant<decltype(warp_affine_manual)>> {
protected:
    Pixels warped(Pixels &input, const Map &map, int width, int height) {
        Pixels output(width, height);
        EXPECT_EQ(
            GetParam().function(input, map.a00, map.a01, map.b0, map.a10, map.a11, map.b1, output),
            0);
        return output;
    }
};

TEST_P(WarpAffineTest, interpolates_at_any_size_and_repeats_edges) {
    // Coefficients are multiples of 1/8: floats represent all that is computed.
    const Map turned{0.75f, -0.625f, 17.375f, 0.5f, 0.875f, -11.25f};
    for (const auto &[width, height] : {std::pair{203, 101}, {64, 33}, {7, 3}, {1, 1}}) {
        Pixels input(97, 53);
        fill_image(input, 0, 256);
        expect_images_equal(reference(input, turned, width, height),
                            warped(input, turned, width, height));
    }
}

TEST_P(WarpAffineTest, turns_by_any_angle) {
    const Map turned{0.985f, -0.174f, 21.3f, 0.174f, 0.985f, -13.7f};
    Pixels input(151, 151);
    fill_image(input, 0, 256);
    expect_images_near(reference(input, turned, 131, 127), warped(input, turned, 131, 127), 1.0);
}

TEST_P(WarpAffineTest, the_identity_copies) {
    Pixels input(67, 5);
    fill_image(input, 0, 256);
    expect_images_equal(input, warped(input, {1, 0, 0, 0, 1, 0}, 67, 5));
}

CRYOLITE_INSTANTIATE_APP(WarpAffineTest, warp_affine);

}  // namespace
}  // namespace cryolite::apps
