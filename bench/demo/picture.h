// Pictures for the demo: a photograph resampled to the app's size as raw planar 16-bit data, and
// raw data back into a PNG that people can look at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cryolite::bench {

// Planar: value(x, y, channel) = values[(channel * height + y) * width + x].
struct Picture {
    int width = 0, height = 0, channels = 0;
    std::vector<std::uint16_t> values;

    std::uint16_t at(int x, int y, int channel) const {
        return values[(std::size_t(channel) * std::size_t(height) + std::size_t(y)) *
                          std::size_t(width) +
                      std::size_t(x)];
    }
};

// Reads a PNG or JPEG of 8 or 16 bits with three channels. Throws std::runtime_error.
Picture load_photograph(const std::string &path);

// Fills width x height with the centre of the picture, resampled by cubic interpolation.
Picture resample_to_fill(const Picture &picture, int width, int height);

Picture read_raw(const std::string &path, int width, int height, int channels);
void write_raw(const Picture &picture, const std::string &path);

// Left and right, of the same size, with a gap between them, as an 8-bit PNG.
void write_side_by_side(const Picture &left, const Picture &right, const std::string &path);

}  // namespace cryolite::bench
