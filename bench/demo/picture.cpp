#include "bench/demo/picture.h"

#include <HalideBuffer.h>
#include <halide_image_io.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <stdexcept>

namespace cryolite::bench {
namespace {

constexpr int gap_pixels = 32;

Picture empty_picture(int width, int height, int channels) {
    return {width, height, channels,
            std::vector<std::uint16_t>(std::size_t(width) * std::size_t(height) *
                                       std::size_t(channels))};
}

// Catmull-Rom weights (Catmull and Rom, 1974) of the four samples around a point that lies
// `fraction` behind the second one: smooth, and exact at the samples.
std::array<double, 4> cubic_weights(double fraction) {
    const double t = fraction, t2 = t * t, t3 = t2 * t;
    return {-0.5 * t + t2 - 0.5 * t3, 1.0 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2.0 * t2 - 1.5 * t3,
            -0.5 * t2 + 0.5 * t3};
}

// Where each target pixel's centre lies in the source, along one axis.
struct Tap {
    std::array<int, 4> at;
    std::array<double, 4> weights;
};

std::vector<Tap> taps(int target, int source, double step) {
    std::vector<Tap> result;
    for (int i = 0; i < target; i++) {
        const double position = (i + 0.5 - target * 0.5) * step + source * 0.5 - 0.5;
        const double below = std::floor(position);
        Tap tap{{}, cubic_weights(position - below)};
        for (int k = 0; k < 4; k++) {
            tap.at[std::size_t(k)] = std::clamp(int(below) - 1 + k, 0, source - 1);
        }
        result.push_back(tap);
    }
    return result;
}

}  // namespace

Picture load_photograph(const std::string &path) {
    Halide::Runtime::Buffer<> loaded;
    if (!Halide::Tools::load<Halide::Runtime::Buffer<>, Halide::Tools::Internal::CheckReturn>(
            path, &loaded)) {
        throw std::runtime_error("cannot read the picture " + path);
    }
    const bool is_8_bit = loaded.type() == halide_type_of<std::uint8_t>();
    if (loaded.dimensions() != 3 || loaded.channels() < 3 ||
        (!is_8_bit && loaded.type() != halide_type_of<std::uint16_t>())) {
        throw std::runtime_error(path + " is no picture with three channels");
    }
    Picture picture = empty_picture(loaded.width(), loaded.height(), 3);
    std::size_t position = 0;
    for (int c = 0; c < 3; c++) {
        for (int y = 0; y < picture.height; y++) {
            for (int x = 0; x < picture.width; x++) {
                picture.values[position++] =
                    is_8_bit ? std::uint16_t(loaded.as<std::uint8_t>()(x, y, c) * 257)
                             : loaded.as<std::uint16_t>()(x, y, c);
            }
        }
    }
    return picture;
}

Picture resample_to_fill(const Picture &picture, int width, int height) {
    // Source pixels per target pixel: the same along both axes, so that the shorter side fits.
    const double step = std::min(double(picture.width) / width, double(picture.height) / height);
    const std::vector<Tap> columns = taps(width, picture.width, step);
    const std::vector<Tap> rows = taps(height, picture.height, step);
    Picture result = empty_picture(width, height, picture.channels);
    std::vector<double> across(std::size_t(width) * std::size_t(picture.height));
    std::size_t position = 0;
    for (int c = 0; c < picture.channels; c++) {
        for (int y = 0; y < picture.height; y++) {
            for (int x = 0; x < width; x++) {
                const Tap &tap = columns[std::size_t(x)];
                double sum = 0;
                for (std::size_t k = 0; k < 4; k++) {
                    sum += tap.weights[k] * picture.at(tap.at[k], y, c);
                }
                across[std::size_t(y) * std::size_t(width) + std::size_t(x)] = sum;
            }
        }
        for (int y = 0; y < height; y++) {
            const Tap &tap = rows[std::size_t(y)];
            for (int x = 0; x < width; x++) {
                double sum = 0;
                for (std::size_t k = 0; k < 4; k++) {
                    sum += tap.weights[k] *
                           across[std::size_t(tap.at[k]) * std::size_t(width) + std::size_t(x)];
                }
                result.values[position++] =
                    std::uint16_t(std::lround(std::clamp(sum, 0.0, 65535.0)));
            }
        }
    }
    return result;
}

Picture read_raw(const std::string &path, int width, int height, int channels) {
    Picture picture = empty_picture(width, height, channels);
    std::ifstream stream(path, std::ios::binary);
    if (!stream.read(reinterpret_cast<char *>(picture.values.data()),
                     std::streamsize(picture.values.size() * sizeof(std::uint16_t)))) {
        throw std::runtime_error("cannot read " + path);
    }
    return picture;
}

void write_raw(const Picture &picture, const std::string &path) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char *>(picture.values.data()),
                 std::streamsize(picture.values.size() * sizeof(std::uint16_t)));
    if (!stream.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

void write_side_by_side(const Picture &left, const Picture &right, const std::string &path) {
    Halide::Runtime::Buffer<std::uint8_t> both(left.width + gap_pixels + right.width, left.height,
                                               3);
    both.fill(255);
    both.for_each_element([&](int x, int y, int c) {
        const int x_right = x - left.width - gap_pixels;
        if (x < left.width) {
            both(x, y, c) = std::uint8_t(left.at(x, y, c) / 257);
        } else if (x_right >= 0) {
            both(x, y, c) = std::uint8_t(right.at(x_right, y, c) / 257);
        }
    });
    if (!Halide::Tools::save<Halide::Runtime::Buffer<std::uint8_t>,
                             Halide::Tools::Internal::CheckReturn>(both, path)) {
        throw std::runtime_error("cannot write the picture " + path);
    }
}

}  // namespace cryolite::bench
