#include "tests/apps/app_test.h"

#include <algorithm>

#include "jacobi_manual.h"
#include "jacobi_root.h"

namespace cryolite::apps {
namespace {

using Grid = Image<float>;

constexpr int fused = 5;  // the generator's default

Grid reference(Grid now, int steps) {
    Grid next(now.width(), now.height());
    for (int step = 0; step < steps; step++) {
        next.for_each_element([&](int x, int y) {
            double sum = 0.0;
            for (int v = y - 1; v <= y + 1; v++) {
                for (int u = x - 1; u <= x + 1; u++) {
                    sum += double(
                        now(std::clamp(u, 0, now.width() - 1), std::clamp(v, 0, now.height() - 1)));
                }
            }
            next(x, y) = float(sum / 9.0);
        });
        std::swap(now, next);
    }
    return now;
}

class JacobiTest : public testing::TestWithParam<Variant<decltype(jacobi_manual)>> {};

TEST_P(JacobiTest, makes_its_steps_at_any_size) {
    // The largest has tiles on every side of inner ones.
    for (const auto &[width, height] :
         {std::pair{1201, 199}, {203, 101}, {64, 65}, {7, 3}, {1, 2}, {1, 1}}) {
        Grid input(width, height), output(width, height);
        fill_image(input, -1, 1);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_near(reference(input.copy(), fused), output, 1e-5);
    }
}

TEST_P(JacobiTest, calls_compose) {
    Grid input(97, 131), half(97, 131), output(97, 131);
    fill_image(input, -1, 1);
    ASSERT_EQ(GetParam().function(input, half), 0);
    ASSERT_EQ(GetParam().function(half, output), 0);
    expect_images_near(reference(input.copy(), 2 * fused), output, 1e-5);
}

CRYOLITE_INSTANTIATE_APP(JacobiTest, jacobi);

}  // namespace
}  // namespace cryolite::apps
