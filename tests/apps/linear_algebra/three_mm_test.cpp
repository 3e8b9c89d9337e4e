#include "tests/apps/linear_algebra/matrix_reference.h"

#include "three_mm_manual.h"
#include "three_mm_root.h"

namespace cryolite::apps {
namespace {

class ThreeMmTest : public testing::TestWithParam<Variant<decltype(three_mm_manual)>> {};

// Five different sizes, so that no matrix can stand in for another.
TEST_P(ThreeMmTest, multiplies_the_products_of_two_pairs) {
    const int rows = 131, inner_ab = 17, middle = 101, inner_cd = 23, columns = 157;
    Image<float> a = matrix_of(inner_ab, rows, 1), b = matrix_of(middle, inner_ab, 2);
    Image<float> c = matrix_of(inner_cd, middle, 3), d = matrix_of(columns, inner_cd, 4);
    Image<float> output(columns, rows);
    ASSERT_EQ(GetParam().function(a, b, c, d, output), 0);
    // Sums of 101 terms, each the product of two sums.
    expect_images_near(product_of(product_of(a, b), product_of(c, d)), output, 1e-3, 1e-5);
}

CRYOLITE_INSTANTIATE_APP(ThreeMmTest, three_mm);

}  // namespace
}  // namespace cryolite::apps
