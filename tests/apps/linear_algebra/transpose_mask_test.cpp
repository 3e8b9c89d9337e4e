#include <utility>

#include "tests/apps/app_test.h"

#include "transpose_mask_manual.h"
#include "transpose_mask_root.h"

namespace cryolite::apps {
namespace {

class TransposeMaskTest : public testing::TestWithParam<Variant<decltype(transpose_mask_manual)>> {
};

// The manual schedule turns squares of a vector's size: 16 x 16 with AVX-512.
TEST_P(TransposeMaskTest, keeps_the_bits_of_the_transpose_that_the_mask_has) {
    for (const auto &[width, height] : {std::pair{16, 17}, {67, 31}, {101, 569}}) {
        Image<std::uint32_t> a(height, width), b(width, height), output(width, height);
        fill_image(a, 0.0, 4294967295.0, 1);
        fill_image(b, 0.0, 4294967295.0, 2);
        Image<std::uint32_t> expected(width, height);
        expected.for_each_element([&](int x, int y) { expected(x, y) = a(y, x) & b(x, y); });
        ASSERT_EQ(GetParam().function(a, b, output), 0);
        expect_images_equal(expected, output);
    }
}

CRYOLITE_INSTANTIATE_APP(TransposeMaskTest, transpose_mask);

}  // namespace
}  // namespace cryolite::apps
