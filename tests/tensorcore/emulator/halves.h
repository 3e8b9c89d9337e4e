// Conversions between 16-bit floats and float, as the device rounds: to nearest, ties to even. And floats with 10 bits of
// mantissa (tf32).
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

// cvt.rna.tf32.f32: to nearest, ties away from zero. The bits that are left out are 0.
inline uint32_t tf32_of_float(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) return 0x7fffe000;
    if (std::isinf(value)) return bits;
    return (bits + 0x1000) & 0xffffe000;
}
// What a tensor core multiplies: it does not look at the other bits.
inline float float_of_tf32(uint32_t bits) { return std::bit_cast<float>(bits & 0xffffe000); }

}  // namespace cryolite::emulator
