// Conversions between 16-bit floats and float, as the device rounds: to nearest, ties to even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace cryolite::emulator {

inline float float_of_half(uint16_t bits) {
    return static_cast<float>(std::bit_cast<_Float16>(bits));
}
inline uint16_t half_of_float(float value) {
    return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

inline float float_of_bfloat(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
inline uint16_t bfloat_of_float(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) return 0x7fff;
    return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace cryolite::emulator
