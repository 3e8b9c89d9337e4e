#include "tests/apps/app_test.h"

#include <utility>

#include "heat2d_manual.h"
#include "heat2d_root.h"

namespace cryolite::apps {
namespace {

using Plate = Image<float>;

Plate reference(Plate now, double rate, int steps) {
    Plate next = now.copy();  // the rim stays
    for (int step = 0; step < steps; step++) {
        for (int y = 1; y < now.height() - 1; y++) {
            for (int x = 1; x < now.width() - 1; x++) {
                const double flow = (double(now(x - 1, y)) - double(now(x, y))) +
                                    (double(now(x + 1, y)) - double(now(x, y))) +
                                    (double(now(x, y - 1)) - double(now(x, y))) +
                                    (double(now(x, y + 1)) - double(now(x, y)));
                next(x, y) = float(double(now(x, y)) + rate * flow);
            }
        }
        std::swap(now, next);
    }
    return now;
}

class Heat2dTest : public testing::TestWithParam<Variant<decltype(heat2d_manual)>> {};

TEST_P(Heat2dTest, spreads_heat_and_keeps_the_rim_at_any_size) {
    const int steps = 4;  // the generator's default
    // The largest has tiles on every side of inner ones.
    for (const auto &[width, height] :
         {std::pair{1201, 199}, {203, 101}, {64, 65}, {7, 3}, {3, 3}, {1, 2}, {1, 1}}) {
        for (const float rate : {0.2f, 0.0f}) {
            Plate input(width, height), output(width, height);
            fill_image(input, 0, 100);
            ASSERT_EQ(GetParam().function(input, rate, output), 0);
            expect_images_near(reference(input.copy(), double(rate), steps), output, 1e-3);
        }
    }
}

CRYOLITE_INSTANTIATE_APP(Heat2dTest, heat2d);

}  // namespace
}  // namespace cryolite::apps
