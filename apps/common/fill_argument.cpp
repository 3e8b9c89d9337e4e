// Deterministic contents for inputs. Images must look like images: a histogram of pure noise, or a
// constant, would flatter some schedules (caches, branches, look-up tables) and hide others' cost.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "apps/common/app_list.h"

namespace cryolite::apps {
namespace {

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a hash of the index, so that contents do not
// depend on the order in which they are made. Yields a number in [0, 1).
double uniform(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return double(z >> 11) * 0x1.0p-53;
}

// In [0, 1): a tilted plane, a soft wave, a checkerboard of hard edges and 5 % of noise.
double image_value(int x, int y, int channel, std::uint64_t seed, std::uint64_t index) {
    const double plane = std::fmod(x / 1536.0 + y / 2560.0 + channel / 3.0, 1.0);
    // The wave is a parabola per period: equal on every machine, unlike a library's sine.
    const double phase = std::fmod((x + 2.0 * y) / 97.0 + channel * 0.2, 1.0);
    const double wave = 4.0 * phase * (1.0 - phase);
    const double edges = ((x / 61 + y / 43 + channel) % 2 == 0) ? 1.0 : 0.0;
    return 0.4 * plane + 0.3 * wave + 0.25 * edges + 0.05 * uniform(seed, index);
}

template <typename T>
void fill_as(const Argument &argument, T *data) {
    const std::vector<int> &extents = argument.extents;
    const int width = extents.empty() ? 1 : extents[0];
    const int height = extents.size() < 2 ? 1 : extents[1];
    std::size_t count = 1;
    for (const int extent : extents) {
        count *= std::size_t(extent);
    }
    const auto convert = [](double value) {
        if constexpr (std::numeric_limits<T>::is_integer) {
            return T(std::llround(std::clamp(value, double(std::numeric_limits<T>::min()),
                                             double(std::numeric_limits<T>::max()))));
        } else {
            return T(value);
        }
    };
    if (argument.kind == Argument::Kind::Scalar) {
        *data = convert(argument.low);
        return;
    }
    const double range = argument.high - argument.low;
    for (std::size_t i = 0; i < count; i++) {
        double value = 0.0;
        if (argument.fill == Fill::SmoothImage) {
            const int x = int(i % std::size_t(width));
            const int y = int(i / std::size_t(width) % std::size_t(height));
            const int channel = int(i / (std::size_t(width) * std::size_t(height)));
            value = argument.low + range * image_value(x, y, channel, argument.seed, i);
        } else if (argument.fill == Fill::UniformNoise) {
            value = argument.low + range * uniform(argument.seed, i);
        }
        data[i] = convert(value);
    }
}

}  // namespace

void fill_argument(const Argument &argument, void *data) {
    with_element_type(argument.type,
                      [&](auto value) { fill_as(argument, static_cast<decltype(value) *>(data)); });
}

}  // namespace cryolite::apps
