#include "tests/apps/app_test.h"

#include "harris_manual.h"
#include "harris_root.h"

namespace cryolite::apps {
namespace {

Image<float> reference(const Image<float> &input) {
    Image<float> output(input.width() - 6, input.height() - 6);
    const auto luminance = [&](int x, int y) {
        return 0.299 * input(x, y, 0) + 0.587 * input(x, y, 1) + 0.114 * input(x, y, 2);
    };
    const int smooth[3] = {1, 2, 1};
    output.for_each_element([&](int ox, int oy) {
        double xx = 0, xy = 0, yy = 0;
        for (int v = oy + 2; v <= oy + 4; v++) {
            for (int u = ox + 2; u <= ox + 4; u++) {
                double gx = 0, gy = 0;
                for (int i = -1; i <= 1; i++) {
                    gx += smooth[i + 1] * (luminance(u + 1, v + i) - luminance(u - 1, v + i)) / 12;
                    gy += smooth[i + 1] * (luminance(u + i, v + 1) - luminance(u + i, v - 1)) / 12;
                }
                xx += gx * gx;
                xy += gx * gy;
                yy += gy * gy;
            }
        }
        output(ox, oy) = float(xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy));
    });
    return output;
}

class HarrisTest : public testing::TestWithParam<Variant<decltype(harris_manual)>> {};

TEST_P(HarrisTest, computes_the_corner_response_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {33, 65}, {5, 2}, {1, 1}}) {
        Image<float> input(width + 6, height + 6, 3), output(width, height);
        fill_image(input, 0.0, 1.0);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_near(reference(input), output, 1e-6, 1e-4);
    }
}

TEST_P(HarrisTest, tells_a_corner_from_an_edge) {
    Image<float> input(46, 46, 3), output(40, 40);
    input.for_each_element(
        [&](int x, int y, int c) { input(x, y, c) = x >= 23 && y >= 23 ? 1.0f : 0.0f; });
    ASSERT_EQ(GetParam().function(input, output), 0);
    EXPECT_GT(output(20, 20), 1e-3f);   // the corner
    EXPECT_LT(output(20, 35), -1e-3f);  // on the edge
    EXPECT_EQ(output(5, 5), 0.0f);      // nothing there
}

CRYOLITE_INSTANTIATE_APP(HarrisTest, harris);

}  // namespace
}  // namespace cryolite::apps
