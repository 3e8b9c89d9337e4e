#include "tests/apps/linear_algebra/matrix_reference.h"

#include "doitgen_manual.h"
#include "doitgen_root.h"

namespace cryolite::apps {
namespace {

class DoitgenTest : public testing::TestWithParam<Variant<decltype(doitgen_manual)>> {};

TEST_P(DoitgenTest, multiplies_every_slice_by_the_same_matrix) {
    for (const auto &[columns, rows, depth] : odd_sizes) {
        const int slices = 3;
        Image<float> a(depth, rows, slices), c4 = matrix_of(columns, depth, 2);
        fill_image(a, -1.0, 1.0, 1);
        Image<float> output(columns, rows, slices);
        ASSERT_EQ(GetParam().function(a, c4, output), 0);
        for (int r = 0; r < slices; r++) {
            expect_sums_near(product_of(a.sliced(2, r), c4), output.sliced(2, r));
        }
    }
}

CRYOLITE_INSTANTIATE_APP(DoitgenTest, doitgen);

}  // namespace
}  // namespace cryolite::apps
