#include <utility>

#include "tests/apps/app_test.h"

#include "mask_manual.h"
#include "mask_root.h"

namespace cryolite::apps {
namespace {

class MaskTest : public testing::TestWithParam<Variant<decltype(mask_manual)>> {};

TEST_P(MaskTest, keeps_the_bits_that_both_have) {
    for (const auto &[width, height] : {std::pair{1, 1}, {7, 33}, {101, 67}}) {
        Image<std::uint32_t> a(width, height), b(width, height), output(width, height);
        fill_image(a, 0.0, 4294967295.0, 1);
        fill_image(b, 0.0, 4294967295.0, 2);
        Image<std::uint32_t> expected(width, height);
        expected.for_each_element([&](int x, int y) { expected(x, y) = a(x, y) & b(x, y); });
        ASSERT_EQ(GetParam().function(a, b, output), 0);
        expect_images_equal(expected, output);
    }
}

CRYOLITE_INSTANTIATE_APP(MaskTest, mask);

}  // namespace
}  // namespace cryolite::apps
