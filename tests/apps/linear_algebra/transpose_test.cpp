#include "tests/apps/linear_algebra/matrix_reference.h"

#include "transpose_manual.h"
#include "transpose_root.h"

namespace cryolite::apps {
namespace {

class TransposeTest : public testing::TestWithParam<Variant<decltype(transpose_manual)>> {};

// The manual schedule turns squares of a vector's size: 16 x 16 with AVX-512.
TEST_P(TransposeTest, exchanges_rows_and_columns) {
    for (const auto &[width, height] : {std::pair{16, 17}, {67, 31}, {101, 569}}) {
        Image<float> a = matrix_of(height, width, 1), output(width, height);
        ASSERT_EQ(GetParam().function(a, output), 0);
        expect_images_equal(transpose_of(a), output);
    }
}

CRYOLITE_INSTANTIATE_APP(TransposeTest, transpose);

}  // namespace
}  // namespace cryolite::apps
