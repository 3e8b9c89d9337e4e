#include "tests/apps/app_test.h"

#include "blur_manual.h"
#include "blur_root.h"

namespace cryolite::apps {
namespace {

Image<std::uint16_t> reference(const Image<std::uint16_t> &input) {
    Image<std::uint16_t> output(input.width() - 2, input.height() - 2);
    output.for_each_element([&](int x, int y) {
        int column = 0;
        for (int dy = 0; dy < 3; dy++) {
            column += (input(x, y + dy) + input(x + 1, y + dy) + input(x + 2, y + dy)) / 3;
        }
        output(x, y) = std::uint16_t(column / 3);
    });
    return output;
}

class BlurTest : public testing::TestWithParam<Variant<decltype(blur_manual)>> {};

TEST_P(BlurTest, averages_three_by_three_at_any_size) {
    for (const auto &[width, height] : {std::pair{203, 101}, {64, 33}, {7, 3}, {1, 1}}) {
        Image<std::uint16_t> input(width + 2, height + 2), output(width, height);
        fill_image(input, 0, 21845);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(reference(input), output);
    }
}

CRYOLITE_INSTANTIATE_APP(BlurTest, blur);

}  // namespace
}  // namespace cryolite::apps
