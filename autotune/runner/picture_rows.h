// Rows of pixels as picture files hold them.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "autotune/runner/array_file.h"

namespace cryolite {

// Rows of pixels, channels innermost, become planes.
inline FileArray planar(int64_t width, int64_t height, int64_t channels, int bits,
                        const std::vector<unsigned char> &rows) {
    const auto type = halide_type_t(halide_type_uint, static_cast<uint8_t>(bits));
    FileArray array{type, {width, height}, {1, width}, {}};
    if (channels > 1) {
        array.extents.push_back(channels);
        array.strides.push_back(width * height);
    }
    array.values.resize(rows.size());
    const auto bytes = static_cast<size_t>(bits / 8);
    const auto pixels = static_cast<size_t>(width * height), each = static_cast<size_t>(channels);
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < each; c++)
            std::memcpy(array.values.data() + (c * pixels + p) * bytes,
                        rows.data() + (p * each + c) * bytes, bytes);
    return array;
}

// Both formats have the more significant byte first.
inline void swap_bytes(std::vector<unsigned char> &rows) {
    for (size_t i = 0; i + 1 < rows.size(); i += 2) std::swap(rows[i], rows[i + 1]);
}

}  // namespace cryolite
