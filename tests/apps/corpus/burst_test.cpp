#include <utility>

#include "tests/apps/app_test.h"
#include "tests/apps/corpus/burst_reference.h"

#include "burst_manual.h"
#include "burst_root.h"

namespace cryolite::apps {
namespace {

using namespace burst;

// A scene that moves by (6, -4) raw pixels from frame to frame, with noise; the last frame shows
// something else on its right half.
Image<std::uint16_t> make_burst(int width, int height) {
    Image<std::uint16_t> raw(width, height, frames);
    raw.for_each_element([&](int x, int y, int n) {
        const int u = x - 6 * n, v = y + 4 * n;
        const bool other = n == frames - 1 && x > width / 2;
        // Blocks of pixels, so that coarse levels see them.
        const double scene = test_value(u >> 3, v >> 3, 0, other ? 5 : 4);
        raw(x, y, n) = std::uint16_t(64 + 800 * scene * scene + 40 * test_value(x, y, n, 6));
    });
    return raw;
}

Image<float> make_matrix() {
    Image<float> matrix(3, 3);
    matrix.for_each_element(
        [&](int column, int row) { matrix(column, row) = column == row ? 1.4f : -0.2f; });
    return matrix;
}

class BurstTest : public testing::TestWithParam<Variant<decltype(burst_manual)>> {
protected:
    static int run(Image<std::uint16_t> &raw, Image<float> &matrix, const Parameters &p,
                   Image<std::uint8_t> &output) {
        return GetParam().function(raw, matrix, p.black_level, p.white_level, p.red_gain,
                                   p.blue_gain, p.noise, p.exposure_step, p.contrast, p.sharpness,
                                   output);
    }
};

TEST_P(BurstTest, aligns_merges_and_develops_at_any_size) {
    for (const auto &[width, height] : {std::pair{66, 34}, {35, 49}, {1, 1}}) {
        Image<std::uint16_t> raw = make_burst(width, height);
        Image<float> matrix = make_matrix();
        Image<std::uint8_t> output(width, height, 3), expected(width, height, 3);
        const Parameters parameters;
        ASSERT_EQ(run(raw, matrix, parameters, output), 0);
        Reference reference(raw, matrix, parameters);
        expected.for_each_element(
            [&](int x, int y, int c) { expected(x, y, c) = reference.pixel(x, y, c); });
        expect_images_near(expected, output, 1.0);
    }
}

// What the schedules are compared with finds the displacement.
TEST(BurstReference, follows_a_moving_scene) {
    Image<std::uint16_t> raw = make_burst(160, 128);
    Image<float> matrix = make_matrix();
    Reference reference(raw, matrix, Parameters{});
    for (int n = 1; n < frames - 1; n++) {
        const Displacement d = reference.found(4, 3, n);
        EXPECT_EQ(d.x, 3 * n);
        EXPECT_EQ(d.y, -2 * n);
    }
}

CRYOLITE_INSTANTIATE_APP(BurstTest, burst);

}  // namespace
}  // namespace cryolite::apps
