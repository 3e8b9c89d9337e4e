#include "tests/apps/app_test.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "local_laplacian_manual.h"
#include "local_laplacian_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint16_t>;

constexpr int pyramid_levels = 8;

int half(int v) {
    return v >= 0 ? v / 2 : -((1 - v) / 2);  // rounds down
}

// A rectangle of values around the image, wide enough for all that coarser levels ask of it.
struct Plane {
    int x0, y0, width, height;
    std::vector<double> values;

    double &at(int x, int y) { return values.at(size_t(y - y0) * size_t(width) + size_t(x - x0)); }
};

struct Range {
    int low, high;
};

// What collapsing the pyramid reads of each level, along one axis.
std::vector<Range> ranges_up(int extent) {
    std::vector<Range> ranges{{0, extent - 1}};
    for (int j = 1; j < pyramid_levels; j++) {
        ranges.push_back({half(ranges.back().low) - 1, half(ranges.back().high) + 1});
    }
    return ranges;
}

// And what building it has to provide.
std::vector<Range> ranges_down(int extent) {
    std::vector<Range> ranges = ranges_up(extent);
    for (size_t j = ranges.size() - 1; j-- > 0;) {
        ranges[j].low = std::min(ranges[j].low, 2 * ranges[j + 1].low - 1);
        ranges[j].high = std::max(ranges[j].high, 2 * ranges[j + 1].high + 2);
    }
    return ranges;
}

Plane make_plane(Range x, Range y, const std::function<double(int, int)> &value) {
    Plane plane{x.low, y.low, x.high - x.low + 1, y.high - y.low + 1, {}};
    for (int v = y.low; v <= y.high; v++) {
        for (int u = x.low; u <= x.high; u++) {
            plane.values.push_back(value(u, v));
        }
    }
    return plane;
}

double interpolated(Plane &coarse, int x, int y) {
    const int nx = half(x), fx = x % 2 == 0 ? nx - 1 : nx + 1;
    const int ny = half(y), fy = y % 2 == 0 ? ny - 1 : ny + 1;
    return (9 * coarse.at(nx, ny) + 3 * coarse.at(fx, ny) + 3 * coarse.at(nx, fy) +
            coarse.at(fx, fy)) /
           16;
}

Pixels reference(const Pixels &input, int intensities, double alpha, double beta) {
    const int width = input.width(), height = input.height();
    const std::vector<Range> rx = ranges_down(width), ry = ranges_down(height);
    const auto clamped = [&](int x, int y, int c) {
        return double(input(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1), c));
    };
    const auto pyramid_of = [&](const std::function<double(int, int)> &finest) {
        std::vector<Plane> pyramid{make_plane(rx[0], ry[0], finest)};
        for (size_t j = 1; j < pyramid_levels; j++) {
            Plane &fine = pyramid.back();
            const double tap[4] = {1 / 8., 3 / 8., 3 / 8., 1 / 8.};
            pyramid.push_back(make_plane(rx[j], ry[j], [&](int x, int y) {
                double sum = 0;
                for (int v = 0; v < 4; v++) {
                    for (int u = 0; u < 4; u++) {
                        sum += tap[u] * tap[v] * fine.at(2 * x - 1 + u, 2 * y - 1 + v);
                    }
                }
                return sum;
            }));
        }
        return pyramid;
    };
    std::vector<Plane> own = pyramid_of([&](int x, int y) {
        return (0.299 * clamped(x, y, 0) + 0.587 * clamped(x, y, 1) + 0.114 * clamped(x, y, 2)) /
               65535;
    });
    const double step = 1.0 / (intensities - 1);
    std::vector<std::vector<Plane>> remapped;
    for (int k = 0; k < intensities; k++) {
        remapped.push_back(pyramid_of([&](int x, int y) {
            const double value = own[0].at(x, y);
            const int index =
                std::clamp(int(value * (intensities - 1) * 256), 0, (intensities - 1) * 256);
            const double distance = (index - 256 * k) / 256.0;
            return beta * (value - k * step) + k * step +
                   step * alpha * distance * std::exp(-distance * distance / 2);
        }));
    }
    const std::vector<Range> ux = ranges_up(width), uy = ranges_up(height);
    Plane collapsed{};
    for (size_t j = pyramid_levels; j-- > 0;) {
        const bool coarsest = j == pyramid_levels - 1;
        collapsed = make_plane(ux[j], uy[j], [&](int x, int y) {
            const double position = own[j].at(x, y) * (intensities - 1);
            const int lower = std::clamp(int(position), 0, intensities - 2);
            const auto laplacian = [&](int k) {
                std::vector<Plane> &pyramid = remapped[size_t(k)];
                return pyramid[j].at(x, y) - (coarsest ? 0 : interpolated(pyramid[j + 1], x, y));
            };
            const double part = position - lower;
            return (1 - part) * laplacian(lower) + part * laplacian(lower + 1) +
                   (coarsest ? 0 : interpolated(collapsed, x, y));
        });
    }
    Pixels output(width, height, 3);
    output.for_each_element([&](int x, int y, int c) {
        const double gain = (collapsed.at(x, y) + 0.01) / (own[0].at(x, y) + 0.01);
        output(x, y, c) = std::uint16_t(std::clamp(clamped(x, y, c) * gain + 0.5, 0.0, 65535.0));
    });
    return output;
}

class LocalLaplacianTest
    : public testing::TestWithParam<Variant<decltype(local_laplacian_manual)>> {};

TEST_P(LocalLaplacianTest, maps_tones_at_odd_sizes) {
    for (const auto &[width, height] : {std::pair{71, 45}, {3, 20}}) {
        Pixels input(width, height, 3), output(width, height, 3);
        fill_image(input, 1000, 60000);
        ASSERT_EQ(GetParam().function(input, 8, 0.5f, 0.8f, output), 0);
        // The remapping curve is sampled, so a value between two samples may take either: 64 of
        // 65536 for most, and the fraction for the few pixels where several fall together.
        expect_images_near(reference(input, 8, 0.5, 0.8), output, 64, 0.0, 0.005);
    }
}

TEST_P(LocalLaplacianTest, without_detail_and_with_full_range_changes_nothing) {
    Pixels input(50, 40, 3), output(50, 40, 3);
    fill_image(input, 1000, 60000);
    ASSERT_EQ(GetParam().function(input, 8, 0.0f, 1.0f, output), 0);
    expect_images_near(input, output, 2);
}

CRYOLITE_INSTANTIATE_APP(LocalLaplacianTest, local_laplacian);

}  // namespace
}  // namespace cryolite::apps
