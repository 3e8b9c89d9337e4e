#include <limits>

#include "tests/apps/linear_algebra/matrix_reference.h"

#include "trmm_manual.h"
#include "trmm_root.h"

namespace cryolite::apps {
namespace {

class TrmmTest : public testing::TestWithParam<Variant<decltype(trmm_manual)>> {};

// The other triangle holds what would poison every sum that touched it.
TEST_P(TrmmTest, multiplies_by_the_lower_triangle_alone) {
    for (const int size : {48, 67, 271}) {
        const int columns = 151;
        Image<float> a = matrix_of(size, size, 1), b = matrix_of(columns, size, 2);
        Image<float> lower = a.copy(), output(columns, size);
        a.for_each_element([&](int k, int row) {
            if (k > row) {
                a(k, row) = std::numeric_limits<float>::quiet_NaN();
                lower(k, row) = 0.0f;
            }
        });
        Image<float> expected = product_of(lower, b);
        expected.for_each_value([](float &value) { value *= 1.5f; });
        ASSERT_EQ(GetParam().function(1.5f, a, b, output), 0);
        expect_sums_near(expected, output);
    }
}

CRYOLITE_INSTANTIATE_APP(TrmmTest, trmm);

}  // namespace
}  // namespace cryolite::apps
