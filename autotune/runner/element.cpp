#include "autotune/runner/element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace cryolite {
namespace {

// IEEE's half: rounded to nearest, ties to even.
uint16_t half_of(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::abs(value);
    if (std::isnan(value)) return 0x7e00;
    if (size == 0) return sign;
    if (size >= 65520) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(size, &exponent);  // size is below 2^exponent
    // 10 bits follow the first one; below 2^-14 the exponent stays and bits are lost.
    const int unit = std::max(exponent - 11, -24);
    const auto units = static_cast<uint16_t>(std::nearbyint(std::ldexp(size, -unit)));
    // Units of more than 10 bits carry the first bit into the exponent, and a rounding up does too.
    return static_cast<uint16_t>(sign + ((unit + 24) << 10) + units);
}

uint16_t bfloat_of(double value) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    if (std::isnan(value)) return 0x7fc0;
    return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

template <typename T>
void write(std::byte *to, T value) {
    std::memcpy(to, &value, sizeof value);
}

void write_float(std::byte *to, halide_type_t type, double value) {
    if (type.code == halide_type_bfloat)
        write(to, bfloat_of(value));
    else if (type.bits == 64)
        write(to, value);
    else if (type.bits == 32)
        write(to, static_cast<float>(value));
    else
        write(to, half_of(value));
}

}  // namespace

void write_element(std::byte *to, halide_type_t type, uint64_t bits) {
    if (is_float(type)) return write_float(to, type, static_cast<double>(bits));
    switch (type.bytes()) {
        case 1: return write(to, static_cast<uint8_t>(bits));
        case 2: return write(to, static_cast<uint16_t>(bits));
        case 4: return write(to, static_cast<uint32_t>(bits));
        default: return write(to, bits);
    }
}

void write_element(std::byte *to, halide_type_t type, double value) {
    if (is_float(type)) return write_float(to, type, value);
    const double whole = std::clamp(std::nearbyint(value), least_of(type), largest_of(type));
    if (whole >= 0x1p63)
        write_element(to, type, whole >= 0x1p64 ? ~uint64_t{0} : static_cast<uint64_t>(whole));
    else
        write_element(to, type, static_cast<uint64_t>(static_cast<int64_t>(whole)));
}

double least_of(halide_type_t type) {
    return type.code == halide_type_int ? -std::ldexp(1.0, type.bits - 1) : 0;
}

double largest_of(halide_type_t type) {
    return std::ldexp(1.0, type.code == halide_type_int ? type.bits - 1 : type.bits) - 1;
}

std::string type_name(halide_type_t type) {
    if (type.code == halide_type_handle) return "a pointer";
    if (type.code == halide_type_uint && type.bits == 1) return "bool";
    const char *code = type.code == halide_type_int     ? "int"
                       : type.code == halide_type_uint  ? "uint"
                       : type.code == halide_type_float ? "float"
                                                        : "bfloat";
    return code + std::to_string(type.bits);
}

}  // namespace cryolite
