#include "tests/apps/app_test.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lens_blur_manual.h"
#include "lens_blur_root.h"

namespace cryolite::apps {
namespace {

using Bytes = Image<std::uint8_t>;

constexpr int slices = 32, filter_radius = 4, max_radius = 13, aperture_samples = 32;

// A plane of doubles around the half-size image, with room for what the filters reach.
class Plane {
public:
    static constexpr int border = 2 * filter_radius + slices + 8;

    template <typename At>
    Plane(int width, int height, At at)
        : width_(width + 2 * border), values_(size_t(width_) * size_t(height + 2 * border)) {
        for (int y = -border; y < height + border; y++) {
            for (int x = -border; x < width + border; x++) {
                values_[index(x, y)] = at(x, y);
            }
        }
    }

    double at(int x, int y) const { return values_[index(x, y)]; }

private:
    size_t index(int x, int y) const { return size_t((y + border) * width_ + x + border); }

    int width_;
    std::vector<double> values_;
};

class Reference {
public:
    Reference(const Bytes &left, const Bytes &right, double focus, double radius_per_slice)
        : left_(left), width_(left.width()), height_(left.height()) {
        find_disparities(right);
        for (int y = -max_radius; y < height_ + max_radius; y++) {
            for (int x = -max_radius; x < width_ + max_radius; x++) {
                disparity_.push_back(upsampled(x, y));
                confusion_.push_back(std::min(
                    std::abs(disparity_.back() - focus) * radius_per_slice, double(max_radius)));
            }
        }
    }

    std::array<std::uint8_t, 3> pixel(int x, int y) const {
        double widest = 0;
        for (int v = y - max_radius; v <= y + max_radius; v++) {
            for (int u = x - max_radius; u <= x + max_radius; u++) {
                widest = std::max(widest, confusion_[index(u, v)]);
            }
        }
        std::uint32_t hash = (std::uint32_t(x) * 2654435761u) ^ (std::uint32_t(y) * 2246822519u);
        hash = ((hash ^ (hash >> 15)) * 3266489917u) >> 24;
        double sum[4] = {colour(left_, x, y, 0), colour(left_, x, y, 1), colour(left_, x, y, 2), 1};
        for (int s = 0; s < aperture_samples; s++) {
            const int point = 8 * s + int(hash % 8);
            const double length = std::sqrt((point + 0.5) / (8 * aperture_samples)) * widest;
            const int dx = int(std::nearbyint(length * std::cos(point * 2.3999632)));
            const int dy = int(std::nearbyint(length * std::sin(point * 2.3999632)));
            const size_t here = index(x, y), there = index(x + dx, y + dy);
            double radius = confusion_[there];
            if (disparity_[there] < disparity_[here]) {
                radius = std::min(radius, confusion_[here]);
            }
            const double weight = std::clamp(radius + 1 - std::hypot(dx, dy), 0.0, 1.0);
            for (int c = 0; c < 4; c++) {
                sum[c] += weight * (c < 3 ? colour(left_, x + dx, y + dy, c) : 1.0);
            }
        }
        std::array<std::uint8_t, 3> result{};
        for (size_t c = 0; c < 3; c++) {
            result[c] = std::uint8_t(sum[c] / sum[3] + 0.5);
        }
        return result;
    }

private:
    size_t index(int x, int y) const {
        return size_t((y + max_radius) * (width_ + 2 * max_radius) + x + max_radius);
    }

    double colour(const Bytes &image, int x, int y, int c) const {
        return image(std::clamp(x, 0, width_ - 1), std::clamp(y, 0, height_ - 1), c);
    }

    double halved(const Bytes &image, int x, int y, int c) const {
        return (colour(image, 2 * x, 2 * y, c) + colour(image, 2 * x + 1, 2 * y, c) +
                colour(image, 2 * x, 2 * y + 1, c) + colour(image, 2 * x + 1, 2 * y + 1, c)) /
               (4 * 255.0);
    }

    double guide(int x, int y) const {
        return 0.299 * halved(left_, x, y, 0) + 0.587 * halved(left_, x, y, 1) +
               0.114 * halved(left_, x, y, 2);
    }

    // The guided filter in He et al.'s words: per window a linear regression of the cost on the
    // guide, per pixel the mean over the windows that it lies in.
    void find_disparities(const Bytes &right) {
        const int r = filter_radius, count = (2 * r + 1) * (2 * r + 1);
        low_x_ = low_y_ = -(max_radius + 2) / 2 - 1;
        half_width_ = (width_ + max_radius) / 2 + 2 - low_x_;
        const int half_height = (height_ + max_radius) / 2 + 2 - low_y_;
        const auto mean_of = [&](int x, int y, auto at) {
            double sum = 0;
            for (int k = 0; k < count; k++) {
                sum += at(x - r + k % (2 * r + 1), y - r + k / (2 * r + 1));
            }
            return sum / count;
        };
        const auto plane = [&](int margin, auto at) {
            return Plane(half_width_, half_height, [&](int x, int y) {
                const bool needed = x >= -margin && y >= -margin && x < half_width_ + margin &&
                                    y < half_height + margin;
                return needed ? at(x, y) : 0.0;
            });
        };
        const Plane grey =
            plane(2 * r, [&](int x, int y) { return guide(x + low_x_, y + low_y_); });
        const Plane mean_grey = plane(r, [&](int x, int y) {
            return mean_of(x, y, [&](int u, int v) { return grey.at(u, v); });
        });
        std::vector<double> cheapest(size_t(half_width_ * half_height), 1e10);
        slice_.resize(cheapest.size());
        for (int z = 0; z < slices; z++) {
            const Plane cost = plane(2 * r, [&](int x, int y) {
                double sum = 0;
                for (int c = 0; c < 3; c++) {
                    sum += std::abs(halved(left_, x + low_x_, y + low_y_, c) -
                                    halved(right, x + low_x_ - z, y + low_y_, c));
                }
                return std::min(sum, 0.25);
            });
            const Plane mean_cost = plane(r, [&](int x, int y) {
                return mean_of(x, y, [&](int u, int v) { return cost.at(u, v); });
            });
            const Plane slope = plane(r, [&](int x, int y) {
                const double m = mean_grey.at(x, y);
                const double variance = mean_of(
                    x, y, [&](int u, int v) { return (grey.at(u, v) - m) * (grey.at(u, v) - m); });
                const double covariance = mean_of(x, y, [&](int u, int v) {
                    return (grey.at(u, v) - m) * (cost.at(u, v) - mean_cost.at(x, y));
                });
                return covariance / (variance + 1e-3);
            });
            for (int y = 0; y < half_height; y++) {
                for (int x = 0; x < half_width_; x++) {
                    const double filtered = mean_of(x, y, [&](int u, int v) {
                        return slope.at(u, v) * (grey.at(x, y) - mean_grey.at(u, v)) +
                               mean_cost.at(u, v);
                    });
                    double &least = cheapest[size_t(y * half_width_ + x)];
                    if (filtered < least) {
                        least = filtered;
                        slice_[size_t(y * half_width_ + x)] = z;
                    }
                }
            }
        }
    }

    double upsampled(int x, int y) const {
        const double grey = (0.299 * colour(left_, x, y, 0) + 0.587 * colour(left_, x, y, 1) +
                             0.114 * colour(left_, x, y, 2)) /
                            255;
        // The four half-size pixels whose centres are around this one's; >> rounds down.
        const int first_x = (x - 1) >> 1, first_y = (y - 1) >> 1;
        double sum = 0, weights = 0;
        for (int corner = 0; corner < 4; corner++) {
            const int u = first_x + corner % 2, v = first_y + corner / 2;
            const double bilinear =
                (1 - std::abs(2 * u + 0.5 - x) / 2) * (1 - std::abs(2 * v + 0.5 - y) / 2);
            const double weight = bilinear / (std::abs(guide(u, v) - grey) + 0.02);
            sum += weight * slice_[size_t((v - low_y_) * half_width_ + u - low_x_)];
            weights += weight;
        }
        return sum / weights;
    }

    const Bytes &left_;
    int width_, height_, low_x_ = 0, low_y_ = 0, half_width_ = 0;
    std::vector<double> slice_, disparity_, confusion_;
};

// The scene of the left camera; what is `near` is shifted by 24 full-size pixels in the right one.
void make_pair(Bytes &left, Bytes &right) {
    const auto scene = [](int x, int y, int c, bool is_near) {
        return int(255 * test_value(x / 2, y / 2, c, is_near ? 1 : 2));
    };
    const auto is_near = [&](int x) { return x >= left.width() / 3 && x < 2 * left.width() / 3; };
    left.for_each_element([&](int x, int y, int c) {
        left(x, y, c) = std::uint8_t(scene(x, y, c, is_near(x)));
        right(x, y, c) =
            std::uint8_t(is_near(x + 24) ? scene(x + 24, y, c, true) : scene(x + 4, y, c, false));
    });
}

class LensBlurTest : public testing::TestWithParam<Variant<decltype(lens_blur_manual)>> {};

TEST_P(LensBlurTest, blurs_by_distance_from_the_focus_at_any_size) {
    for (const auto &[width, height] : {std::pair{83, 41}, {33, 67}, {3, 2}, {1, 1}}) {
        Bytes left(width, height, 3), right(width, height, 3), output(width, height, 3);
        make_pair(left, right);
        ASSERT_EQ(GetParam().function(left, right, 2.0f, 0.5f, output), 0);
        Reference reference(left, right, 2.0, 0.5);
        Bytes expected(width, height, 3);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                const std::array<std::uint8_t, 3> pixel = reference.pixel(x, y);
                for (int c = 0; c < 3; c++) {
                    expected(x, y, c) = pixel[size_t(c)];
                }
            }
        }
        // A tie between two disparities, or of a sample between two pixels, may go either way.
        expect_images_near(expected, output, 1, 0.0, 0.02);
    }
}

TEST_P(LensBlurTest, keeps_what_is_in_focus_and_blurs_the_rest) {
    Bytes left(150, 60, 3), right(150, 60, 3), output(150, 60, 3);
    make_pair(left, right);
    ASSERT_EQ(GetParam().function(left, right, 12.0f, 1.0f, output), 0);
    const auto difference = [&](int first, int last) {
        double sum = 0;
        for (int y = 10; y < 50; y++) {
            for (int x = first; x < last; x++) {
                sum += std::abs(double(left(x, y, 1)) - double(output(x, y, 1)));
            }
        }
        return sum / (40 * (last - first));
    };
    EXPECT_LT(difference(65, 85), 2.0);
    EXPECT_GT(difference(110, 140), 20.0);
}

CRYOLITE_INSTANTIATE_APP(LensBlurTest, lens_blur);

}  // namespace
}  // namespace cryolite::apps
