#include <utility>

#include "tests/apps/app_test.h"

#include "copy_manual.h"
#include "copy_root.h"

namespace cryolite::apps {
namespace {

class CopyTest : public testing::TestWithParam<Variant<decltype(copy_manual)>> {};

TEST_P(CopyTest, copies_every_element) {
    for (const auto &[width, height] : {std::pair{1, 1}, {7, 33}, {101, 67}}) {
        Image<float> a(width, height), output(width, height);
        fill_image(a, -1.0, 1.0);
        ASSERT_EQ(GetParam().function(a, output), 0);
        expect_images_equal(a, output);
    }
}

CRYOLITE_INSTANTIATE_APP(CopyTest, copy);

}  // namespace
}  // namespace cryolite::apps
