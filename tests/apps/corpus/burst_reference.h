// The burst pipeline in plain C++: what it computes, a pixel at a time, with no thought of speed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/apps/app_test.h"

namespace cryolite::apps::burst {

constexpr int frames = 4, exposures = 3, pyramid_levels = 6;

// A function of a place, computed where it is asked for and once: every stage of the pipeline, on a
// plane without borders.
template <typename Value>
class Stage {
public:
    using Function = std::function<Value(int, int, int)>;

    Stage() = default;
    explicit Stage(Function function) : function_(std::move(function)) {}

    Value operator()(int x, int y, int z = 0) {
        const std::int64_t key =
            (std::int64_t(z + 64) << 40) + (std::int64_t(y + 65536) << 20) + (x + 65536);
        const auto known = values_.find(key);
        return known != values_.end() ? known->second
                                      : values_.emplace(key, function_(x, y, z)).first->second;
    }

private:
    Function function_;
    std::unordered_map<std::int64_t, Value> values_;
};

struct Parameters {
    float black_level = 64, white_level = 1023, red_gain = 1.8f, blue_gain = 1.5f, noise = 30;
    float exposure_step = 3, contrast = 0.3f, sharpness = 0.8f;
};

struct Displacement {
    long score;
    int x, y;
};

class Reference {
public:
    Reference(const Image<std::uint16_t> &raw, const Image<float> &matrix, const Parameters &p)
        : raw_(raw), matrix_(matrix), p_(p) {
        define_alignment();
        define_merge();
        define_colours();
        define_fusion();
        define_finish();
    }

    std::uint8_t pixel(int x, int y, int c) {
        const double v = curved_(x, y, c) + p_.sharpness * (grey_of(x, y) - blurred_(x, y));
        return std::uint8_t(255 * std::clamp(v, 0.0, 1.0) + 0.5);
    }

    Displacement found(int tile_x, int tile_y, int frame) {
        return found_[0](tile_x, tile_y, frame);
    }

private:
    using Plane = Stage<double>;

    // The index inside of n that reflection about the first and the last one leads to.
    static int reflected(int i, int n) {
        while (n > 1 && (i < 0 || i >= n)) {
            i = i < 0 ? -i : 2 * (n - 1) - i;
        }
        return n > 1 ? i : 0;
    }

    int raw(int x, int y, int n) const {
        return raw_(reflected(x, raw_.width()), reflected(y, raw_.height()), n);
    }

    // Alignment: four levels; level j is factor[j] times smaller than the one before.
    static constexpr std::array<int, 4> factor = {2, 2, 4, 4}, radius = {1, 4, 4, 2};

    void define_alignment() {
        level_[0] = Stage<int>([this](int x, int y, int n) {
            return (raw(2 * x, 2 * y, n) + raw(2 * x + 1, 2 * y, n) + raw(2 * x, 2 * y + 1, n) +
                    raw(2 * x + 1, 2 * y + 1, n) + 2) /
                   4;
        });
        for (size_t j = 1; j < 4; j++) {
            const int f = factor[j];
            const std::vector<int> taps =
                f == 2 ? std::vector{1, 3, 3, 1} : std::vector{1, 3, 5, 7, 7, 5, 3, 1};
            const auto shrink = [f, taps](auto at) {
                int sum = f * f;
                for (int i = 0; i < 2 * f; i++) {
                    sum += taps[size_t(i)] * at(i - f / 2);
                }
                return sum / (2 * f * f);
            };
            halfway_[j] = Stage<int>([this, j, f, shrink](int x, int y, int n) {
                return shrink([&](int d) { return level_[j - 1](f * x + d, y, n); });
            });
            level_[j] = Stage<int>([this, j, f, shrink](int x, int y, int n) {
                return shrink([&](int d) { return halfway_[j](x, f * y + d, n); });
            });
        }
        for (size_t j = 0; j < 4; j++) {
            found_[j] = Stage<Displacement>(
                [this, j](int tx, int ty, int n) { return search(j, tx, ty, n); });
        }
    }

    long score(size_t j, int tx, int ty, int n, int by_x, int by_y) {
        long sum = 0;
        for (int y = 8 * ty; y < 8 * ty + 16; y++) {
            for (int x = 8 * tx; x < 8 * tx + 16; x++) {
                sum += std::abs(level_[j](x, y, 0) - level_[j](x + by_x, y + by_y, n));
            }
        }
        return sum;
    }

    Displacement search(size_t j, int tx, int ty, int n) {
        Displacement start{0, 0, 0};
        if (j < 3) {
            const int f = factor[j + 1];
            // The coarse tile around this one's place, and the neighbours on the nearer sides.
            const auto around = [&](int t) { return int(std::floor(double(t) / f)); };
            const auto beside = [&](int t) {
                return around(t) + (t - f * around(t) < f / 2 ? -1 : 1);
            };
            const std::array<std::pair<int, int>, 3> from = {std::pair{around(tx), around(ty)},
                                                             {beside(tx), around(ty)},
                                                             {around(tx), beside(ty)}};
            for (size_t k = 0; k < 3; k++) {
                const Displacement d = found_[j + 1](from[k].first, from[k].second, n);
                const long s = score(j, tx, ty, n, f * d.x, f * d.y);
                if (k == 0 || s < start.score) {
                    start = {s, f * d.x, f * d.y};
                }
            }
        }
        Displacement best{-1, 0, 0};
        for (int dy = -radius[j]; dy <= radius[j]; dy++) {
            for (int dx = -radius[j]; dx <= radius[j]; dx++) {
                const long s = score(j, tx, ty, n, start.x + dx, start.y + dy);
                if (best.score < 0 || s < best.score) {
                    best = {s, start.x + dx, start.y + dy};
                }
            }
        }
        return best;
    }

    void define_merge() {
        weight_ = Plane([this](int tx, int ty, int n) {
            const double relative = double(found_[0](tx, ty, n).score) / 256 / p_.noise;
            return relative > 8 ? 0 : 1 / (1 + relative * relative);
        });
        merged_ = Plane([this](int x, int y, int) {
            const auto window = [](int i) { return 0.5 - 0.5 * std::cos((i + 0.5) * M_PI / 16); };
            double sum = 0;
            for (int ty = (y >> 4) - 1; ty <= y >> 4; ty++) {
                for (int tx = (x >> 4) - 1; tx <= x >> 4; tx++) {
                    double mean = raw(x, y, 0), weights = 1;
                    for (int n = 1; n < frames; n++) {
                        const Displacement d = found_[0](tx, ty, n);
                        const double w = weight_(tx, ty, n);
                        mean += w * raw(x + 2 * d.x, y + 2 * d.y, n);
                        weights += w;
                    }
                    sum += window(x - 16 * tx) * window(y - 16 * ty) * mean / weights;
                }
            }
            return sum;
        });
    }

    void define_colours() {
        balanced_ = Plane([this](int x, int y, int) {
            const double v = std::clamp(
                (merged_(x, y) - p_.black_level) / (p_.white_level - p_.black_level), 0.0, 1.0);
            const int odd_x = x & 1, odd_y = y & 1;
            return v * (odd_x && odd_y ? p_.blue_gain : !odd_x && !odd_y ? p_.red_gain : 1.0);
        });
        rgb_ = Plane([this](int x, int y, int c) { return demosaicked(x, y, c); });
        luma_ = Plane([this](int x, int y, int) {
            return (rgb_(x, y, 0) + 2 * rgb_(x, y, 1) + rgb_(x, y, 2)) / 4;
        });
        chroma_[0] = Plane([this](int x, int y, int c) { return rgb_(x, y, 2 * c) - luma_(x, y); });
        for (size_t pass = 0; pass < 3; pass++) {
            chroma_[pass + 1] = Plane([this, pass](int x, int y, int c) {
                double sum = 0, weights = 0;
                for (int v = -1; v <= 1; v++) {
                    for (int u = -1; u <= 1; u++) {
                        const int near_x = x + (u << pass), near_y = y + (v << pass);
                        const double d = 16 * (luma_(near_x, near_y) - luma_(x, y));
                        const double w = (2 - std::abs(u)) * (2 - std::abs(v)) / (1 + d * d);
                        sum += w * chroma_[pass](near_x, near_y, c);
                        weights += w;
                    }
                }
                return sum / weights;
            });
        }
        colours_ = Plane([this](int x, int y, int c) {
            const double red = chroma_[3](x, y, 0), blue = chroma_[3](x, y, 1);
            const double other = c == 0 ? red : c == 2 ? blue : -(red + blue) / 2;
            return std::max(luma_(x, y) + other, 0.0);
        });
        display_luma_ = Plane([this](int x, int y, int) {
            return (colours_(x, y, 0) + 2 * colours_(x, y, 1) + colours_(x, y, 2)) / 4;
        });
    }

    // The 5x5 kernels of Malvar, He and Cutler's figure 2, times 8.
    double demosaicked(int x, int y, int c) {
        const bool odd_x = x & 1, odd_y = y & 1;
        const int colour_here = odd_x == odd_y ? (odd_x ? 2 : 0) : 1;
        if (colour_here == c) {
            return balanced_(x, y);
        }
        struct Kernel {
            double middle, beside, above, corner, far_beside, far_above;
        };
        Kernel k{};
        if (c == 1) {
            k = {4, 2, 2, 0, -1, -1};
        } else if (colour_here != 1) {
            k = {6, 0, 0, 2, -1.5, -1.5};
        } else if ((c == 0) == !odd_y) {
            k = {5, 4, 0, -1, -1, 0.5};
        } else {
            k = {5, 0, 4, -1, 0.5, -1};
        }
        const auto at = [&](int dx, int dy) { return balanced_(x + dx, y + dy); };
        return (k.middle * at(0, 0) + k.beside * (at(-1, 0) + at(1, 0)) +
                k.above * (at(0, -1) + at(0, 1)) +
                k.corner * (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)) +
                k.far_beside * (at(-2, 0) + at(2, 0)) + k.far_above * (at(0, -2) + at(0, 2))) /
               8;
    }

    static void define_half(Plane &coarse, Plane &fine) {
        coarse = Plane([&fine](int x, int y, int z) {
            constexpr std::array<double, 5> taps = {1, 4, 6, 4, 1};
            double sum = 0;
            for (int v = 0; v < 5; v++) {
                for (int u = 0; u < 5; u++) {
                    sum +=
                        taps[size_t(u)] * taps[size_t(v)] * fine(2 * x + u - 2, 2 * y + v - 2, z);
                }
            }
            return sum / 256;
        });
    }

    static double enlarged(Plane &coarse, int x, int y, int z) {
        return (coarse(x >> 1, y >> 1, z) + coarse((x + 1) >> 1, y >> 1, z) +
                coarse(x >> 1, (y + 1) >> 1, z) + coarse((x + 1) >> 1, (y + 1) >> 1, z)) /
               4;
    }

    void define_fusion() {
        exposure_[0] = Plane([this](int x, int y, int k) {
            const double gain = std::pow(p_.exposure_step, k);
            return std::pow(std::clamp(display_luma_(x, y) * gain, 0.0, 1.0), 1 / 2.2);
        });
        share_[0] = Plane([this](int x, int y, int k) {
            double own = 0, all = 0;
            for (int other = 0; other < exposures; other++) {
                const double off = (exposure_[0](x, y, other) - 0.5) / 0.2;
                const double weight = std::exp(-0.5 * off * off) + 1e-4;
                own = other == k ? weight : own;
                all += weight;
            }
            return own / all;
        });
        for (size_t j = 1; j < pyramid_levels; j++) {
            define_half(exposure_[j], exposure_[j - 1]);
            define_half(share_[j], share_[j - 1]);
        }
        for (size_t j = 0; j < pyramid_levels; j++) {
            collapsed_[j] = Plane([this, j](int x, int y, int) {
                const bool last = j + 1 == pyramid_levels;
                double sum = last ? 0 : enlarged(collapsed_[j + 1], x, y, 0);
                for (int k = 0; k < exposures; k++) {
                    const double coarse = last ? 0 : enlarged(exposure_[j + 1], x, y, k);
                    sum += share_[j](x, y, k) * (exposure_[j](x, y, k) - coarse);
                }
                return sum;
            });
        }
    }

    void define_finish() {
        curved_ = Plane([this](int x, int y, int c) {
            const double brightness = std::pow(std::max(collapsed_[0](x, y), 0.0), 2.2);
            const double ratio = brightness / std::max(display_luma_(x, y), 1e-4);
            double sum = 0;
            for (int j = 0; j < 3; j++) {
                sum += matrix_(j, c) * colours_(x, y, j) * ratio;
            }
            const double v = std::pow(std::clamp(sum, 0.0, 1.0), 1 / 2.2);
            return (1 - p_.contrast) * v + p_.contrast * v * v * (3 - 2 * v);
        });
        blurred_ = Plane([this](int x, int y, int) {
            constexpr std::array<double, 5> taps = {1, 4, 6, 4, 1};
            double sum = 0;
            for (int v = 0; v < 5; v++) {
                for (int u = 0; u < 5; u++) {
                    sum += taps[size_t(u)] * taps[size_t(v)] * grey_of(x + u - 2, y + v - 2);
                }
            }
            return sum / 256;
        });
    }

    double grey_of(int x, int y) {
        return (curved_(x, y, 0) + 2 * curved_(x, y, 1) + curved_(x, y, 2)) / 4;
    }

    const Image<std::uint16_t> &raw_;
    const Image<float> &matrix_;
    const Parameters p_;
    std::array<Stage<int>, 4> level_, halfway_;
    std::array<Stage<Displacement>, 4> found_;
    Plane weight_, merged_, balanced_, rgb_, luma_, colours_, display_luma_, curved_, blurred_;
    std::array<Plane, 4> chroma_;
    std::array<Plane, pyramid_levels> exposure_, share_, collapsed_;
};

}  // namespace cryolite::apps::burst
