#include "tests/apps/app_test.h"

#include "mat_mul_manual.h"
#include "mat_mul_root.h"

namespace cryolite::apps {
namespace {

class MatMulTest : public testing::TestWithParam<Variant<decltype(mat_mul_manual)>> {};

// The manual schedule needs an output of at least one tile: 128 x 384 with AVX-512.
TEST_P(MatMulTest, multiplies_matrices_of_odd_sizes) {
    for (const int depth : {1, 77}) {
        const int columns = 151, rows = 401;
        Image<float> a(depth, rows), b(columns, depth), output(columns, rows);
        fill_image(a, -1.0, 1.0, 1);
        fill_image(b, -1.0, 1.0, 2);
        Image<float> expected(columns, rows);
        expected.for_each_element([&](int x, int y) {
            double sum = 0;
            for (int k = 0; k < depth; k++) {
                sum += double(a(k, y)) * b(x, k);
            }
            expected(x, y) = float(sum);
        });
        ASSERT_EQ(GetParam().function(a, b, output), 0);
        expect_images_near(expected, output, 1e-4, 1e-5);
    }
}

CRYOLITE_INSTANTIATE_APP(MatMulTest, mat_mul);

}  // namespace
}  // namespace cryolite::apps
