#include "tests/apps/app_test.h"

#include "saxpy_manual.h"
#include "saxpy_root.h"

namespace cryolite::apps {
namespace {

class SaxpyTest : public testing::TestWithParam<Variant<decltype(saxpy_manual)>> {};

// The last size takes more than one of the manual schedule's tasks.
TEST_P(SaxpyTest, adds_a_scaled_vector) {
    for (const int size : {1, 7, 1060, 70001}) {
        Image<float> x(size), y(size), output(size);
        fill_image(x, -1.0, 1.0, 1);
        fill_image(y, -1.0, 1.0, 2);
        Image<float> expected(size);
        expected.for_each_element([&](int i) { expected(i) = 1.5f * x(i) + y(i); });
        ASSERT_EQ(GetParam().function(1.5f, x, y, output), 0);
        expect_images_near(expected, output, 1e-6, 1e-6);
    }
}

CRYOLITE_INSTANTIATE_APP(SaxpyTest, saxpy);

}  // namespace
}  // namespace cryolite::apps
