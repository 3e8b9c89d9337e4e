#include "tests/apps/linear_algebra/matrix_reference.h"

#include "mat_mul_manual.h"
#include "mat_mul_root.h"

namespace cryolite::apps {
namespace {

class MatMulTest : public testing::TestWithParam<Variant<decltype(mat_mul_manual)>> {};

TEST_P(MatMulTest, multiplies_matrices_of_odd_sizes) {
    for (const auto &[columns, rows, depth] : odd_sizes) {
        Image<float> a = matrix_of(depth, rows, 1), b = matrix_of(columns, depth, 2);
        Image<float> output(columns, rows);
        ASSERT_EQ(GetParam().function(a, b, output), 0);
        expect_sums_near(product_of(a, b), output);
    }
}

CRYOLITE_INSTANTIATE_APP(MatMulTest, mat_mul);

}  // namespace
}  // namespace cryolite::apps
