#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "interpolate_manual.h"
#include "interpolate_root.h"

namespace cryolite::apps {
namespace {

constexpr int levels = 10;

// Asks the pyramids' levels for single pixels, as they are needed.
class Reference {
public:
    explicit Reference(const Image<float> &input)
        : input_(input), last_x_{input.width() - 1}, last_y_{input.height() - 1} {
        for (size_t level = 1; level < levels; level++) {
            last_x_.push_back(last_x_.back() / 2 + 1);
            last_y_.push_back(last_y_.back() / 2 + 1);
        }
    }

    double output(int x, int y, int c) { return pushed(0, x, y, c) / pushed(0, x, y, 3); }

private:
    double pulled(int level, int x, int y, int c) {
        // Pixels further out see only repeated edge pixels, and so are all the same.
        x = std::clamp(x, level == 0 ? 0 : -1, last_x_[size_t(level)]);
        y = std::clamp(y, level == 0 ? 0 : -1, last_y_[size_t(level)]);
        if (level == 0) {
            return c < 3 ? double(input_(x, y, c)) * double(input_(x, y, 3))
                         : double(input_(x, y, 3));
        }
        const auto [found, is_new] = pulled_.try_emplace({level, x, y, c});
        if (is_new) {
            const int tap[3] = {1, 2, 1};
            double sum = 0;
            for (int k = 0; k < 9; k++) {
                sum += tap[k % 3] * tap[k / 3] / 16.0 *
                       pulled(level - 1, 2 * x - 1 + k % 3, 2 * y - 1 + k / 3, c);
            }
            found->second = sum;
        }
        return found->second;
    }

    double pushed(int level, int x, int y, int c) {
        if (level == levels - 1) {
            return pulled(level, x, y, c);
        }
        const auto [found, is_new] = pushed_.try_emplace({level, x, y, c});
        if (is_new) {
            // An odd coordinate lies between two coarse pixels; >> rounds down also below zero.
            const int left = x >> 1, right = (x + 1) >> 1, top = y >> 1, bottom = (y + 1) >> 1;
            const double coarse =
                (pushed(level + 1, left, top, c) + pushed(level + 1, right, top, c) +
                 pushed(level + 1, left, bottom, c) + pushed(level + 1, right, bottom, c)) /
                4;
            found->second = pulled(level, x, y, c) + (1 - pulled(level, x, y, 3)) * coarse;
        }
        return found->second;
    }

    const Image<float> &input_;
    std::vector<int> last_x_, last_y_;  // by level
    std::map<std::array<int, 4>, double> pulled_, pushed_;
};

class InterpolateTest : public testing::TestWithParam<Variant<decltype(interpolate_manual)>> {};

TEST_P(InterpolateTest, fills_in_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {64, 33}, {3, 7}, {1, 1}}) {
        Image<float> input(width, height, 4), output(width, height, 3), expected(width, height, 3);
        fill_image(input, 0.0, 1.0);
        input.sliced(2, 3).for_each_element([&](int x, int y) {
            if ((3 * x + 5 * y) % 17 != 0) {
                input(x, y, 3) = 0.0f;
            }
        });
        input(0, 0, 3) = 1.0f;
        ASSERT_EQ(GetParam().function(input, output), 0);
        Reference reference(input);
        expected.for_each_element(
            [&](int x, int y, int c) { expected(x, y, c) = float(reference.output(x, y, c)); });
        expect_images_near(expected, output, 1e-5, 1e-4);
    }
}

TEST_P(InterpolateTest, leaves_an_opaque_image_alone) {
    Image<float> input(70, 50, 4), output(70, 50, 3);
    fill_image(input, 0.0, 1.0);
    input.sliced(2, 3).fill(1.0f);
    ASSERT_EQ(GetParam().function(input, output), 0);
    expect_images_near(input.cropped(2, 0, 3), output, 1e-6);
}

CRYOLITE_INSTANTIATE_APP(InterpolateTest, interpolate);

}  // namespace
}  // namespace cryolite::apps
