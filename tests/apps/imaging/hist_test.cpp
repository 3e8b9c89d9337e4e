#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>

#include "hist_manual.h"
#include "hist_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

int luma(const Pixels &input, int x, int y) {
    return (77 * input(x, y, 0) + 150 * input(x, y, 1) + 29 * input(x, y, 2) + 128) >> 8;
}

Pixels reference(const Pixels &input) {
    const int width = input.width(), height = input.height();
    std::array<std::int64_t, 256> count{};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            count[size_t(luma(input, x, y))]++;
        }
    }
    const std::int64_t total = std::int64_t(width) * height;
    std::array<int, 256> curve{};
    std::int64_t cumulative = 0;
    for (size_t bin = 0; bin < 256; bin++) {
        cumulative += count[bin];
        curve[bin] = int((cumulative * 255 + total / 2) / total);
    }
    Pixels output(width, height, 3);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int r = input(x, y, 0), g = input(x, y, 1), b = input(x, y, 2);
            const int cb = (128 * b - 43 * r - 85 * g + 128) >> 8;
            const int cr = (128 * r - 107 * g - 21 * b + 128) >> 8;
            const int l = curve[size_t(luma(input, x, y))];
            const int rgb[3] = {l + ((359 * cr + 128) >> 8), l - ((88 * cb + 183 * cr + 128) >> 8),
                                l + ((454 * cb + 128) >> 8)};
            for (int c = 0; c < 3; c++) {
                output(x, y, c) = std::uint8_t(std::clamp(rgb[c], 0, 255));
            }
        }
    }
    return output;
}

class HistTest : public testing::TestWithParam<Variant<decltype(hist_manual)>> {};

TEST_P(HistTest, equalises_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {32, 64}, {33, 65}, {5, 2}, {1, 1}}) {
        Pixels input(width, height, 3), output(width, height, 3);
        fill_image(input, 40, 180);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(reference(input), output);
    }
}

CRYOLITE_INSTANTIATE_APP(HistTest, hist);

}  // namespace
}  // namespace cryolite::apps
