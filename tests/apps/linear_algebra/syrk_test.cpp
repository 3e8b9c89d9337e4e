#include "tests/apps/linear_algebra/matrix_reference.h"

#include "syrk_manual.h"
#include "syrk_root.h"

namespace cryolite::apps {
namespace {

class SyrkTest : public testing::TestWithParam<Variant<decltype(syrk_manual)>> {};

// The manual schedule turns squares of a vector's size: depths start at 16 with AVX-512.
TEST_P(SyrkTest, adds_a_matrix_times_its_transpose) {
    for (const auto &[size, depth] : {std::pair{53, 16}, {151, 77}, {271, 130}}) {
        Image<float> a = matrix_of(depth, size, 1), c = matrix_of(size, size, 2);
        Image<float> output(size, size);
        Image<float> expected = product_of(a, transpose_of(a));
        expected.for_each_element(
            [&](int x, int y) { expected(x, y) = 1.5f * expected(x, y) - 0.75f * c(x, y); });
        ASSERT_EQ(GetParam().function(1.5f, -0.75f, a, c, output), 0);
        expect_sums_near(expected, output);
    }
}

CRYOLITE_INSTANTIATE_APP(SyrkTest, syrk);

}  // namespace
}  // namespace cryolite::apps
