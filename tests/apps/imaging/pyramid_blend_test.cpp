#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pyramid_blend_manual.h"
#include "pyramid_blend_root.h"

namespace cryolite::apps {
namespace {

constexpr int levels = 8;

// A pyramid over an image that is known pixel by pixel, made as its pixels are asked for.
class Pyramid {
public:
    using Pixel = std::function<double(int, int)>;
    Pyramid(int width, int height, Pixel finest)
        : finest_(std::move(finest)), last_x_{width - 1}, last_y_{height - 1} {
        for (size_t level = 1; level < levels; level++) {
            last_x_.push_back((last_x_.back() + 1) / 2 + 1);
            last_y_.push_back((last_y_.back() + 1) / 2 + 1);
        }
    }

    double gaussian(int level, int x, int y) {
        // Pixels further out see only repeated edge pixels, and so are all the same.
        x = std::clamp(x, level == 0 ? 0 : -2, last_x_[size_t(level)]);
        y = std::clamp(y, level == 0 ? 0 : -2, last_y_[size_t(level)]);
        if (level == 0) {
            return finest_(x, y);
        }
        const auto [found, is_new] = levels_.try_emplace({level, x, y});
        if (is_new) {
            const int tap[5] = {1, 4, 6, 4, 1};
            double sum = 0;
            for (int k = 0; k < 25; k++) {
                sum += tap[k % 5] * tap[k / 5] / 256.0 *
                       gaussian(level - 1, 2 * x - 2 + k % 5, 2 * y - 2 + k / 5);
            }
            found->second = sum;
        }
        return found->second;
    }

    double laplacian(int level, int x, int y) {
        return gaussian(level, x, y) -
               expand([&](int u, int v) { return gaussian(level + 1, u, v); }, x, y);
    }

    // Burt and Adelson's EXPAND as they write it: over the taps that hit a coarse pixel.
    static double expand(const Pixel &coarse, int x, int y) {
        const int tap[5] = {1, 4, 6, 4, 1};
        double sum = 0;
        for (int k = 0; k < 25; k++) {
            const int u = x - 2 + k % 5, v = y - 2 + k / 5;
            if ((u & 1) == 0 && (v & 1) == 0) {
                sum += tap[k % 5] * tap[k / 5] / 64.0 * coarse(u / 2, v / 2);
            }
        }
        return sum;
    }

private:
    Pixel finest_;
    std::vector<int> last_x_, last_y_;  // by level
    std::map<std::array<int, 3>, double> levels_;
};

Image<float> reference(const Image<float> &first, const Image<float> &second,
                       const Image<float> &mask) {
    const int width = first.width(), height = first.height();
    Image<float> output(width, height, 3);
    for (int c = 0; c < 3; c++) {
        const auto channel_of = [&](const Image<float> &image) {
            return Pyramid(width, height,
                           [&image, c](int x, int y) { return double(image(x, y, c)); });
        };
        Pyramid a = channel_of(first), b = channel_of(second);
        Pyramid weight(width, height, [&](int x, int y) { return double(mask(x, y)); });
        std::map<std::array<int, 3>, double> memo;
        const std::function<double(int, int, int)> blended = [&](int level, int x, int y) {
            const double w = weight.gaussian(level, x, y);
            if (level == levels - 1) {
                return w * a.gaussian(level, x, y) + (1 - w) * b.gaussian(level, x, y);
            }
            const auto found = memo.find({level, x, y});
            if (found != memo.end()) {
                return found->second;
            }
            const double value =
                w * a.laplacian(level, x, y) + (1 - w) * b.laplacian(level, x, y) +
                Pyramid::expand([&](int u, int v) { return blended(level + 1, u, v); }, x, y);
            memo[{level, x, y}] = value;
            return value;
        };
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                output(x, y, c) = float(blended(0, x, y));
            }
        }
    }
    return output;
}

class PyramidBlendTest : public testing::TestWithParam<Variant<decltype(pyramid_blend_manual)>> {};

TEST_P(PyramidBlendTest, blends_level_by_level_at_any_size) {
    for (const auto &[width, height] : {std::pair{67, 41}, {32, 5}, {1, 1}}) {
        Image<float> first(width, height, 3), second(width, height, 3), mask(width, height);
        Image<float> output(width, height, 3);
        fill_image(first, 0.0, 1.0, 1);
        fill_image(second, 0.0, 1.0, 2);
        fill_image(mask, 0.0, 1.0, 3);
        ASSERT_EQ(GetParam().function(first, second, mask, output), 0);
        expect_images_near(reference(first, second, mask), output, 1e-5, 1e-4);
    }
}

TEST_P(PyramidBlendTest, a_mask_of_one_gives_the_first_image) {
    Image<float> first(50, 31, 3), second(50, 31, 3), mask(50, 31), output(50, 31, 3);
    fill_image(first, 0.0, 1.0, 1);
    fill_image(second, 0.0, 1.0, 2);
    mask.fill(1.0f);
    ASSERT_EQ(GetParam().function(first, second, mask, output), 0);
    expect_images_near(first, output, 1e-5);
}

CRYOLITE_INSTANTIATE_APP(PyramidBlendTest, pyramid_blend);

}  // namespace
}  // namespace cryolite::apps
