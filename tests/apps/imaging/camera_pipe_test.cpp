#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <vector>

#include "camera_pipe_manual.h"
#include "camera_pipe_root.h"

namespace cryolite::apps {
namespace {

struct Settings {
    Image<float> warm{4, 3}, cool{4, 3};
    float temperature = 3700, gamma = 2.0f, contrast = 50, sharpen = 1.0f;
    int black = 25, white = 1023;
};

// Pixel by pixel at full size, with no planes: the mosaic is looked at through coordinates.
class Reference {
public:
    Reference(const Image<std::uint16_t> &input, const Settings &settings)
        : input_(input), settings_(settings), curve_(1024), matrix_{} {
        for (int i = 0; i < 1024; i++) {
            const double linear = std::clamp(
                double(i - settings.black) / (settings.white - settings.black), 0.0, 1.0);
            const double bright = std::pow(linear, 1.0 / settings.gamma);
            const double s_shaped = bright * bright * (3 - 2 * bright);
            const double toned = bright + (s_shaped - bright) * settings.contrast / 100;
            curve_[size_t(i)] = int(std::clamp(toned * 255 + 0.5, 0.0, 255.0));
        }
        const float coolness =
            (1.0f / settings.temperature - 1.0f / 3200) / (1.0f / 7000 - 1.0f / 3200);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 4; i++) {
                const float mixed =
                    settings.warm(i, c) + (settings.cool(i, c) - settings.warm(i, c)) * coolness;
                matrix_[size_t(c)][size_t(i)] = int(std::lround(mixed * (i < 3 ? 256 : 1)));
            }
        }
    }

    int pixel(int x, int y, int c) {
        const int weight[3] = {1, 2, 1};
        int blurred = 8;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                blurred += weight[dx + 1] * weight[dy + 1] * curved(x + dx, y + dy, c);
            }
        }
        const int centre = curved(x, y, c);
        const int strength = std::clamp(int(settings_.sharpen * 32), 0, 127);
        return std::clamp(centre + (((centre - (blurred >> 4)) * strength) >> 5), 0, 255);
    }

private:
    int raw(int x, int y) const { return input_(x + 16, y + 24); }

    int denoised(int x, int y) const {
        const int around[4] = {raw(x - 2, y), raw(x + 2, y), raw(x, y - 2), raw(x, y + 2)};
        return std::clamp(raw(x, y), *std::min_element(around, around + 4),
                          *std::max_element(around, around + 4));
    }

    static bool is_green(int x, int y) { return (x + y) % 2 == 0; }

    int green(int x, int y) const {
        const int here = denoised(x, y);
        if (is_green(x, y)) {
            return here;
        }
        const int left = denoised(x - 1, y), right = denoised(x + 1, y);
        const int above = denoised(x, y - 1), below = denoised(x, y + 1);
        const int bend_x = 2 * here - denoised(x - 2, y) - denoised(x + 2, y);
        const int bend_y = 2 * here - denoised(x, y - 2) - denoised(x, y + 2);
        if (std::abs(left - right) + std::abs(bend_x) <
            std::abs(above - below) + std::abs(bend_y)) {
            return (2 * (left + right) + bend_x) >> 2;
        }
        return (2 * (above + below) + bend_y) >> 2;
    }

    // Red lies in even rows and blue in odd ones; both in the columns between the greens.
    int red_or_blue(int x, int y, int row_parity) const {
        const bool own_row = (y & 1) == row_parity;
        if (!is_green(x, y) && own_row) {
            return denoised(x, y);
        }
        const auto excess = [&](int u, int v) { return denoised(u, v) - green(u, v); };
        if (!is_green(x, y)) {
            return green(x, y) + ((excess(x - 1, y - 1) + excess(x + 1, y - 1) +
                                   excess(x - 1, y + 1) + excess(x + 1, y + 1)) >>
                                  2);
        }
        return green(x, y) + ((own_row ? excess(x - 1, y) + excess(x + 1, y)
                                       : excess(x, y - 1) + excess(x, y + 1)) >>
                              1);
    }

    int curved(int x, int y, int c) {
        const auto [found, is_new] = curved_.try_emplace({x, y, c});
        if (is_new) {
            const std::array<int, 4> &m = matrix_[size_t(c)];
            const int sum =
                m[0] * red_or_blue(x, y, 0) + m[1] * green(x, y) + m[2] * red_or_blue(x, y, 1);
            found->second = curve_[size_t(std::clamp((sum >> 8) + m[3], 0, 1023))];
        }
        return found->second;
    }

    const Image<std::uint16_t> &input_;
    const Settings &settings_;
    std::vector<int> curve_;
    std::array<std::array<int, 4>, 3> matrix_;
    std::map<std::array<int, 3>, int> curved_;
};

class CameraPipeTest : public testing::TestWithParam<Variant<decltype(camera_pipe_manual)>> {
protected:
    void develop(Image<std::uint16_t> &input, Settings &s, Image<std::uint8_t> &output) {
        ASSERT_EQ(GetParam().function(input, s.warm, s.cool, s.temperature, s.gamma, s.contrast,
                                      s.sharpen, s.black, s.white, output),
                  0);
    }

    static Settings settings() {
        Settings s;
        const float warm[3][4] = {
            {1.7f, -0.4f, -0.1f, -12}, {-0.2f, 1.4f, -0.3f, -5}, {0.1f, -0.6f, 1.9f, 3}};
        const float cool[3][4] = {
            {2.1f, -0.8f, -0.2f, -9}, {-0.4f, 1.6f, -0.1f, 2}, {0.0f, -0.5f, 1.5f, -7}};
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 4; i++) {
                s.warm(i, c) = warm[c][i];
                s.cool(i, c) = cool[c][i];
            }
        }
        return s;
    }
};

// The manual schedule needs an even number of rows, and at least 64.
TEST_P(CameraPipeTest, develops_a_raw_mosaic) {
    Settings s = settings();
    for (const auto &[width, height] : {std::pair{131, 98}, {33, 64}}) {
        Image<std::uint16_t> input(width + 32, height + 48);
        fill_image(input, 25, 1024);
        Image<std::uint8_t> output(width, height, 3), expected(width, height, 3);
        develop(input, s, output);
        Reference reference(input, s);
        expected.for_each_element([&](int x, int y, int c) {
            expected(x, y, c) = std::uint8_t(reference.pixel(x, y, c));
        });
        // The curve's table is made in floats: an entry may round to its neighbour, which the
        // sharpening doubles.
        expect_images_near(expected, output, 3, 0.0, 0.0);
        expect_images_near(expected, output, 0, 0.0, 0.02);
    }
}

TEST_P(CameraPipeTest, removes_a_hot_pixel_and_keeps_grey_grey) {
    Settings s;
    s.warm.fill(0.0f);
    for (int c = 0; c < 3; c++) {
        s.warm(c, c) = 1.0f;
    }
    s.cool.copy_from(s.warm);
    Image<std::uint16_t> input(96, 112);
    input.fill(400);
    input(50, 60) = 1023;
    Image<std::uint8_t> output(64, 64, 3);
    develop(input, s, output);
    output.for_each_value([&](std::uint8_t value) { EXPECT_EQ(value, output(0, 0, 0)); });
}

CRYOLITE_INSTANTIATE_APP(CameraPipeTest, camera_pipe);

}  // namespace
}  // namespace cryolite::apps
