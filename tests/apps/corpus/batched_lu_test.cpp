#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>

#include "batched_lu_manual.h"
#include "batched_lu_root.h"

namespace cryolite::apps {
namespace {

constexpr int n = 6;

// Gauss and Jordan's elimination with pivots, unlike the app.
std::array<double, n> solved(const Image<float> &matrices, const Image<float> &right_sides,
                             double damping, int system) {
    std::array<std::array<double, n + 1>, n> rows{};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            rows[size_t(i)][size_t(j)] = matrices(system, j, i) + (i == j ? damping : 0.0);
        }
        rows[size_t(i)][n] = right_sides(system, i);
    }
    for (size_t k = 0; k < n; k++) {
        const auto pivot = std::max_element(
            rows.begin() + std::ptrdiff_t(k), rows.end(),
            [&](const auto &a, const auto &b) { return std::abs(a[k]) < std::abs(b[k]); });
        std::iter_swap(rows.begin() + std::ptrdiff_t(k), pivot);
        for (size_t i = 0; i < n; i++) {
            const double factor = i == k ? 0.0 : rows[i][k] / rows[k][k];
            for (size_t j = k; j <= n; j++) {
                rows[i][j] -= factor * rows[k][j];
            }
        }
    }
    std::array<double, n> solution{};
    for (size_t i = 0; i < n; i++) {
        solution[i] = rows[i][n] / rows[i][i];
    }
    return solution;
}

class BatchedLuTest : public testing::TestWithParam<Variant<decltype(batched_lu_manual)>> {};

TEST_P(BatchedLuTest, solves_every_system_of_any_number) {
    for (const int systems : {1027, 33, 1}) {
        Image<float> matrices(systems, n, n), right_sides(systems, n), output(systems, n);
        fill_image(matrices, -1.0, 1.0);
        fill_image(right_sides, -5.0, 5.0, 2);
        for (const float damping : {8.0f, 6.5f}) {
            ASSERT_EQ(GetParam().function(matrices, right_sides, damping, output), 0);
            Image<float> expected(systems, n);
            for (int b = 0; b < systems; b++) {
                const std::array<double, n> solution = solved(matrices, right_sides, damping, b);
                for (int j = 0; j < n; j++) {
                    expected(b, j) = float(solution[size_t(j)]);
                }
            }
            expect_images_near(expected, output, 1e-4, 1e-4);
        }
    }
}

CRYOLITE_INSTANTIATE_APP(BatchedLuTest, batched_lu);

}  // namespace
}  // namespace cryolite::apps
