#include "tests/apps/linear_algebra/matrix_reference.h"

#include "gemm_manual.h"
#include "gemm_root.h"

namespace cryolite::apps {
namespace {

class GemmTest : public testing::TestWithParam<Variant<decltype(gemm_manual)>> {};

TEST_P(GemmTest, adds_the_scaled_product_to_the_scaled_matrix) {
    for (const auto &[columns, rows, depth] : odd_sizes) {
        Image<float> a = matrix_of(depth, rows, 1), b = matrix_of(columns, depth, 2);
        Image<float> c = matrix_of(columns, rows, 3), output(columns, rows);
        Image<float> expected = product_of(a, b);
        expected.for_each_element(
            [&](int x, int y) { expected(x, y) = 1.5f * expected(x, y) - 0.75f * c(x, y); });
        ASSERT_EQ(GetParam().function(1.5f, -0.75f, a, b, c, output), 0);
        expect_sums_near(expected, output);
    }
}

CRYOLITE_INSTANTIATE_APP(GemmTest, gemm);

}  // namespace
}  // namespace cryolite::apps
