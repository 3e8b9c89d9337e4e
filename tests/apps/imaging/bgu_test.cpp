#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "bgu_manual.h"
#include "bgu_root.h"

namespace cryolite::apps {
namespace {

constexpr int cell_size = 16, range_cells = 8;

using System = std::array<std::array<double, 7>, 4>;
using Map = std::array<std::array<double, 3>, 4>;  // by coefficient and colour

// By elimination with pivoting and back substitution.
Map solve(System s) {
    for (size_t p = 0; p < 4; p++) {
        size_t pivot = p;
        for (size_t i = p + 1; i < 4; i++) {
            pivot = std::abs(s[i][p]) > std::abs(s[pivot][p]) ? i : pivot;
        }
        std::swap(s[p], s[pivot]);
        for (size_t i = p + 1; i < 4; i++) {
            const double factor = s[i][p] / s[p][p];
            for (size_t j = p; j < 7; j++) {
                s[i][j] -= factor * s[p][j];
            }
        }
    }
    Map solution{};
    for (size_t i = 4; i-- > 0;) {
        for (size_t c = 0; c < 3; c++) {
            double sum = s[i][4 + c];
            for (size_t j = i + 1; j < 4; j++) {
                sum -= s[i][j] * solution[j][c];
            }
            solution[i][c] = sum / s[i][i];
        }
    }
    return solution;
}

float luma(float r, float g, float b) { return 0.25f * r + 0.5f * g + 0.25f * b; }

class Reference {
public:
    Reference(const Image<float> &small_input, const Image<float> &small_output) {
        const int width = small_input.width(), height = small_input.height();
        const int reach = cell_size * 5;
        for (int v = -reach; v < height + reach; v++) {
            for (int u = -reach; u < width + reach; u++) {
                const int x = std::clamp(u, 0, width - 1), y = std::clamp(v, 0, height - 1);
                const float in[3] = {small_input(x, y, 0), small_input(x, y, 1),
                                     small_input(x, y, 2)};
                const double values[7] = {in[0],
                                          in[1],
                                          in[2],
                                          1.0,
                                          double(small_output(x, y, 0)),
                                          double(small_output(x, y, 1)),
                                          double(small_output(x, y, 2))};
                // The nearest centre; the shift keeps the division of positive numbers.
                System &system = sums_[{(u + cell_size / 2 + 64 * cell_size) / cell_size - 64,
                                        (v + cell_size / 2 + 64 * cell_size) / cell_size - 64,
                                        int(luma(in[0], in[1], in[2]) * range_cells + 0.5f)}];
                for (size_t i = 0; i < 4; i++) {
                    for (size_t j = 0; j < 7; j++) {
                        system[i][j] += values[i] * values[j];
                    }
                }
            }
        }
    }

    const Map &at(int x, int y, int z) {
        const auto [found, is_new] = maps_.try_emplace({x, y, z});
        if (!is_new) {
            return found->second;
        }
        const int binomial[5] = {1, 4, 6, 4, 1};
        System blurred{};
        for (int k = 0; k < 125; k++) {
            const int dx = k % 5, dy = k / 5 % 5, dz = k / 25;
            const auto source = sums_.find({x + dx - 2, y + dy - 2, z + dz - 2});
            for (size_t e = 0; source != sums_.end() && e < 28; e++) {
                blurred[e / 7][e % 7] +=
                    binomial[dx] * binomial[dy] * binomial[dz] * source->second[e / 7][e % 7];
            }
        }
        const auto &weights = blurred[3];
        const double gain = (0.25 * weights[4] + 0.5 * weights[5] + 0.25 * weights[6] + 1e-3) /
                            (0.25 * weights[0] + 0.5 * weights[1] + 0.25 * weights[2] + 1e-3);
        const double strength = 1e-3 * weights[3] + 1e-3;
        for (size_t i = 0; i < 4; i++) {
            blurred[i][i] += strength;
            if (i < 3) {
                blurred[i][i + 4] += strength * gain;
            }
        }
        return found->second = solve(blurred);
    }

private:
    std::map<std::array<int, 3>, System> sums_;
    std::map<std::array<int, 3>, Map> maps_;
};

Image<float> reference(const Image<float> &small_input, const Image<float> &small_output,
                       const Image<float> &input) {
    Reference grid(small_input, small_output);
    Image<float> output(input.width(), input.height(), 3);
    for (int y = 0; y < input.height(); y++) {
        for (int x = 0; x < input.width(); x++) {
            const double position[3] = {
                ((x + 0.5) * small_input.width() / input.width() - 0.5) / cell_size,
                ((y + 0.5) * small_input.height() / input.height() - 0.5) / cell_size,
                double(luma(input(x, y, 0), input(x, y, 1), input(x, y, 2))) * range_cells};
            double sum[3] = {};
            for (int corner = 0; corner < 8; corner++) {
                int cell[3];
                double weight = 1;
                for (int d = 0; d < 3; d++) {
                    const int low = int(std::floor(position[d])), high = (corner >> d) & 1;
                    cell[d] = low + high;
                    weight *= high ? position[d] - low : 1 - (position[d] - low);
                }
                const Map &map = grid.at(cell[0], cell[1], cell[2]);
                for (size_t c = 0; c < 3; c++) {
                    sum[c] += weight * (map[0][c] * input(x, y, 0) + map[1][c] * input(x, y, 1) +
                                        map[2][c] * input(x, y, 2) + map[3][c]);
                }
            }
            for (int c = 0; c < 3; c++) {
                output(x, y, c) = float(std::clamp(sum[c], 0.0, 1.0));
            }
        }
    }
    return output;
}

class BguTest : public testing::TestWithParam<Variant<decltype(bgu_manual)>> {};

TEST_P(BguTest, fits_and_applies_maps_at_any_size) {
    struct Case {
        int small_width, small_height, width, height;
    };
    for (const auto &[w, h, width, height] :
         {Case{37, 29, 131, 97}, {16, 33, 128, 67}, {3, 2, 7, 5}, {1, 1, 1, 1}}) {
        Image<float> small_input(w, h, 3), small_output(w, h, 3), input(width, height, 3);
        Image<float> output(width, height, 3);
        fill_image(small_input, 0.0, 1.0, 1);
        fill_image(small_output, 0.0, 1.0, 2);
        fill_image(input, 0.0, 1.0, 3);
        ASSERT_EQ(GetParam().function(small_input, small_output, input, output), 0);
        // A pixel on the border of two cells may count for either, which few cells notice.
        expect_images_near(reference(small_input, small_output, input), output, 1e-3, 1e-3, 0.01);
    }
}

TEST_P(BguTest, reproduces_an_affine_operator) {
    Image<float> small_input(40, 30, 3), small_output(40, 30, 3), input(160, 120, 3);
    Image<float> output(160, 120, 3), expected(160, 120, 3);
    fill_image(small_input, 0.0, 1.0, 1);
    fill_image(input, 0.0, 1.0, 2);
    const auto apply = [](const Image<float> &from, Image<float> &to) {
        to.for_each_element([&](int x, int y, int c) {
            to(x, y, c) = 0.5f * from(x, y, c) + 0.3f * from(x, y, (c + 1) % 3) + 0.1f;
        });
    };
    apply(small_input, small_output);
    apply(input, expected);
    ASSERT_EQ(GetParam().function(small_input, small_output, input, output), 0);
    expect_images_near(expected, output, 0.02);
}

CRYOLITE_INSTANTIATE_APP(BguTest, bgu);

}  // namespace
}  // namespace cryolite::apps
