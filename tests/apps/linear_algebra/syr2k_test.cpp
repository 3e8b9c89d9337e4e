#include "tests/apps/linear_algebra/matrix_reference.h"

#include "syr2k_manual.h"
#include "syr2k_root.h"

namespace cryolite::apps {
namespace {

class Syr2kTest : public testing::TestWithParam<Variant<decltype(syr2k_manual)>> {};

// The manual schedule turns squares of a vector's size: depths start at 16 with AVX-512.
TEST_P(Syr2kTest, adds_both_products_with_the_other_matrix_transposed) {
    for (const auto &[size, depth] : {std::pair{53, 16}, {151, 77}, {271, 130}}) {
        Image<float> a = matrix_of(depth, size, 1), b = matrix_of(depth, size, 2);
        Image<float> c = matrix_of(size, size, 3), output(size, size);
        Image<float> expected = product_of(a, transpose_of(b));
        const Image<float> other = product_of(b, transpose_of(a));
        expected.for_each_element([&](int x, int y) {
            expected(x, y) = 1.5f * (expected(x, y) + other(x, y)) - 0.75f * c(x, y);
        });
        ASSERT_EQ(GetParam().function(1.5f, -0.75f, a, b, c, output), 0);
        expect_sums_near(expected, output);
    }
}

CRYOLITE_INSTANTIATE_APP(Syr2kTest, syr2k);

}  // namespace
}  // namespace cryolite::apps
