#include "tests/apps/app_test.h"

#include <algorithm>
#include <cstdlib>

#include "edge_detector_manual.h"
#include "edge_detector_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint8_t>;

int ring(const Pixels &input, int x, int y, int c) {
    int sum = -input(x + 1, y + 1, c);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            sum += input(x + i, y + j, c);
        }
    }
    return sum / 8;
}

Pixels reference(const Pixels &input) {
    Pixels output(input.width() - 3, input.height() - 3, 3);
    output.for_each_element([&](int x, int y, int c) {
        const int falling = std::abs(ring(input, x, y, c) - ring(input, x + 1, y + 1, c));
        const int rising = std::abs(ring(input, x + 1, y, c) - ring(input, x, y + 1, c));
        output(x, y, c) = std::uint8_t(std::min(falling + rising, 255));
    });
    return output;
}

class EdgeDetectorTest : public testing::TestWithParam<Variant<decltype(edge_detector_manual)>> {};

TEST_P(EdgeDetectorTest, finds_edges_at_any_size) {
    for (const auto &[width, height] : {std::pair{203, 101}, {64, 65}, {7, 3}, {1, 1}}) {
        Pixels input(width + 3, height + 3, 3), output(width, height, 3);
        fill_image(input, 0, 256);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(reference(input), output);
    }
}

TEST_P(EdgeDetectorTest, saturates_at_the_hardest_edge) {
    // The 4x4 pixels that make the two differences as large as they can be together: 256.
    Pixels input(43, 23, 3), output(40, 20, 3);
    input.for_each_element([&](int x, int y, int c) {
        const bool bright = y % 4 == 0 || (y % 4 == 2 && (x % 4 == 1 || x % 4 == 2));
        input(x, y, c) = bright ? 255 : 0;
    });
    ASSERT_EQ(GetParam().function(input, output), 0);
    expect_images_equal(reference(input), output);
    EXPECT_EQ(output(0, 0, 0), 255);
}

CRYOLITE_INSTANTIATE_APP(EdgeDetectorTest, edge_detector);

}  // namespace
}  // namespace cryolite::apps
