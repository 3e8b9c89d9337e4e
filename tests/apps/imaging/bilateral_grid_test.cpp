#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <map>

#include "bilateral_grid_manual.h"
#include "bilateral_grid_root.h"

namespace cryolite::apps {
namespace {

constexpr int cell_size = 8;

// A sparse grid in doubles; the blur is one sum over the 125 cells of its support.
Image<float> reference(const Image<float> &input, float range_sigma) {
    struct Cell {
        double value = 0, weight = 0;
    };
    std::map<std::array<int, 3>, Cell> grid;
    const int width = input.width(), height = input.height();
    for (int cy = -2; cy <= height / cell_size + 3; cy++) {
        for (int cx = -2; cx <= width / cell_size + 3; cx++) {
            for (int j = 0; j < cell_size; j++) {
                for (int i = 0; i < cell_size; i++) {
                    const int x = std::clamp(cx * cell_size + i - cell_size / 2, 0, width - 1);
                    const int y = std::clamp(cy * cell_size + j - cell_size / 2, 0, height - 1);
                    const float value = std::clamp(input(x, y), 0.0f, 1.0f);
                    Cell &cell = grid[{cx, cy, int(value / range_sigma + 0.5f)}];
                    cell.value += double(value);
                    cell.weight += 1;
                }
            }
        }
    }
    const int binomial[5] = {1, 4, 6, 4, 1};
    std::map<std::array<int, 3>, Cell> blurred;
    const auto blurred_at = [&](int cx, int cy, int cz) -> const Cell & {
        const auto [found, is_new] = blurred.try_emplace({cx, cy, cz});
        for (int k = 0; is_new && k < 125; k++) {
            const int dx = k % 5, dy = k / 5 % 5, dz = k / 25;
            const auto source = grid.find({cx + dx - 2, cy + dy - 2, cz + dz - 2});
            if (source != grid.end()) {
                const double weight = binomial[dx] * binomial[dy] * binomial[dz];
                found->second.value += weight * source->second.value;
                found->second.weight += weight * source->second.weight;
            }
        }
        return found->second;
    };
    Image<float> output(width, height);
    output.for_each_element([&](int x, int y) {
        const double position[3] = {double(x) / cell_size, double(y) / cell_size,
                                    double(std::clamp(input(x, y), 0.0f, 1.0f) / range_sigma)};
        Cell sum;
        for (int corner = 0; corner < 8; corner++) {
            int cell[3];
            double weight = 1;
            for (int d = 0; d < 3; d++) {
                const int low = int(position[d]), high = (corner >> d) & 1;
                cell[d] = low + high;
                weight *= high ? position[d] - low : 1 - (position[d] - low);
            }
            const Cell &at = blurred_at(cell[0], cell[1], cell[2]);
            sum.value += weight * at.value;
            sum.weight += weight * at.weight;
        }
        output(x, y) = float(sum.value / sum.weight);
    });
    return output;
}

class BilateralGridTest : public testing::TestWithParam<Variant<decltype(bilateral_grid_manual)>> {
};

TEST_P(BilateralGridTest, smooths_within_ranges_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {33, 65}, {5, 2}, {1, 1}}) {
        Image<float> input(width, height), output(width, height);
        fill_image(input, 0.0, 1.0);
        ASSERT_EQ(GetParam().function(input, 0.1f, output), 0);
        // A value on the border of two cells may be rounded into either.
        expect_images_near(reference(input, 0.1f), output, 1e-4, 1e-3, 0.01);
    }
}

TEST_P(BilateralGridTest, keeps_an_edge) {
    Image<float> input(64, 64), output(64, 64);
    input.for_each_element([&](int x, int y) { input(x, y) = x < 32 ? 0.05f : 0.95f; });
    ASSERT_EQ(GetParam().function(input, 0.1f, output), 0);
    expect_images_near(input, output, 1e-3);
}

CRYOLITE_INSTANTIATE_APP(BilateralGridTest, bilateral_grid);

}  // namespace
}  // namespace cryolite::apps
