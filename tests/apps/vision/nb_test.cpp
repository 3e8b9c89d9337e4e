#include "tests/apps/app_test.h"

#include <algorithm>

#include "nb_manual.h"
#include "nb_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

class NbTest : public testing::TestWithParam<Variant<decltype(nb_manual)>> {};

TEST_P(NbTest, makes_both_copies_at_any_size) {
    for (const auto &[width, height] : {std::pair{203, 101}, {64, 33}, {7, 3}, {1, 1}}) {
        Pixels input(width, height, 3), negative(width, height, 3), brightened(width, height, 3);
        fill_image(input, 0, 256);
        Pixels dark(width, height, 3), light(width, height, 3);
        input.for_each_element([&](int x, int y, int c) {
            const int value = input(x, y, c);
            dark(x, y, c) = std::uint8_t((255 - value) - (255 - value) / 8 + 16);
            light(x, y, c) = std::uint8_t(std::min(value * 3 / 2 + 16, 255));
        });
        ASSERT_EQ(GetParam().function(input, negative, brightened), 0);
        expect_images_equal(dark, negative);
        expect_images_equal(light, brightened);
    }
}

CRYOLITE_INSTANTIATE_APP(NbTest, nb);

}  // namespace
}  // namespace cryolite::apps
