#include "tests/apps/app_test.h"

#include "cvt_color_manual.h"
#include "cvt_color_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

class CvtColorTest : public testing::TestWithParam<Variant<decltype(cvt_color_manual)>> {};

TEST_P(CvtColorTest, weighs_the_colours_at_any_size) {
    for (const auto &[width, height] : {std::pair{203, 101}, {64, 33}, {7, 3}, {1, 1}}) {
        Pixels input(width, height, 3), output(width, height), expected(width, height);
        fill_image(input, 0, 256);
        expected.for_each_element([&](int x, int y) {
            const int sum =
                4899 * input(x, y, 0) + 9617 * input(x, y, 1) + 1868 * input(x, y, 2) + 8192;
            expected(x, y) = std::uint8_t(sum / 16384);
        });
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(expected, output);
    }
}

TEST_P(CvtColorTest, keeps_white_white) {
    Pixels input(70, 3, 3), output(70, 3), expected(70, 3);
    input.fill(255);
    expected.fill(255);
    ASSERT_EQ(GetParam().function(input, output), 0);
    expect_images_equal(expected, output);
}

CRYOLITE_INSTANTIATE_APP(CvtColorTest, cvt_color);

}  // namespace
}  // namespace cryolite::apps
