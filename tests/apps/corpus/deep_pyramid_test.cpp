#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <vector>

#include "deep_pyramid_manual.h"
#include "deep_pyramid_root.h"

namespace cryolite::apps {
namespace {

constexpr int levels = 12;

// An image whose edge pixels are repeated outwards.
struct Plane {
    int width = 0, height = 0;
    std::vector<double> values = {};

    template <typename At>
    void fill(At at) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                values.push_back(at(x, y));
            }
        }
    }
    double operator()(int x, int y) const {
        x = std::clamp(x, 0, width - 1);
        y = std::clamp(y, 0, height - 1);
        return values[size_t(y * width + x)];
    }
    double enlarged(int x, int y) const {
        const Plane &p = *this;
        const int u = x / 2, v = y / 2;
        return (p(u, v) + p((x + 1) / 2, v) + p(u, (y + 1) / 2) + p((x + 1) / 2, (y + 1) / 2)) / 4;
    }
};

Image<float> reference(const Image<float> &input, double boost, double knee) {
    std::array<Plane, levels> down, result;
    down[0] = {input.width(), input.height()};
    down[0].fill([&](int x, int y) { return double(input(x, y)); });
    for (size_t j = 1; j < levels; j++) {
        const Plane &fine = down[j - 1];
        down[j] = {(fine.width + 1) / 2, (fine.height + 1) / 2};
        down[j].fill([&](int x, int y) {
            constexpr std::array<double, 5> taps = {1, 4, 6, 4, 1};
            double sum = 0;
            for (int k = 0; k < 25; k++) {
                sum += taps[size_t(k % 5)] * taps[size_t(k / 5)] *
                       fine(2 * x + k % 5 - 2, 2 * y + k / 5 - 2);
            }
            return sum / 256;
        });
    }
    result[levels - 1] = down[levels - 1];
    for (size_t j = levels - 1; j-- > 0;) {
        result[j] = {down[j].width, down[j].height};
        result[j].fill([&](int x, int y) {
            const double band = down[j](x, y) - down[j + 1].enlarged(x, y);
            return result[j + 1].enlarged(x, y) +
                   band * (1 + boost / (1 + band / knee * (band / knee)));
        });
    }
    Image<float> output(input.width(), input.height());
    output.for_each_element([&](int x, int y) { output(x, y) = float(result[0](x, y)); });
    return output;
}

class DeepPyramidTest : public testing::TestWithParam<Variant<decltype(deep_pyramid_manual)>> {};

TEST_P(DeepPyramidTest, strengthens_detail_in_all_bands_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {33, 5}, {1, 1}}) {
        Image<float> input(width, height), output(width, height);
        fill_image(input, 0.0, 1.0);
        ASSERT_EQ(GetParam().function(input, 0.8f, 0.1f, output), 0);
        expect_images_near(reference(input, 0.8, 0.1), output, 1e-4, 1e-4);
    }
}

TEST_P(DeepPyramidTest, changes_nothing_without_a_boost) {
    Image<float> input(200, 90), output(200, 90);
    fill_image(input, 0.0, 1.0);
    ASSERT_EQ(GetParam().function(input, 0.0f, 0.1f, output), 0);
    expect_images_near(input, output, 1e-5);
}

CRYOLITE_INSTANTIATE_APP(DeepPyramidTest, deep_pyramid);

}  // namespace
}  // namespace cryolite::apps
