#include "autotune/compare_outputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace cryolite {
namespace {

double from_half(uint16_t bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                        : exponent > 0 ? std::ldexp(1024 + fraction, exponent - 25)
                                       : std::ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

double from_bfloat(uint16_t bits) {
    const uint32_t wide = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

template <typename T>
double read(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
}

double value_at(const std::byte *at, halide_type_t type) {
    if (type.code == halide_type_bfloat)
        return from_bfloat(static_cast<uint16_t>(read<uint16_t>(at)));
    if (type.code == halide_type_float)
        return type.bits == 64   ? read<double>(at)
               : type.bits == 32 ? read<float>(at)
                                 : from_half(static_cast<uint16_t>(read<uint16_t>(at)));
    const bool is_signed = type.code == halide_type_int;
    switch (type.bytes()) {
        case 1: return is_signed ? read<int8_t>(at) : read<uint8_t>(at);
        case 2: return is_signed ? read<int16_t>(at) : read<uint16_t>(at);
        case 4: return is_signed ? read<int32_t>(at) : read<uint32_t>(at);
        default: return is_signed ? read<int64_t>(at) : read<uint64_t>(at);
    }
}

std::string difference_of(const Output &output, const std::byte *reference,
                          const Tolerance &tolerance) {
    if (std::memcmp(output.values.data(), reference, output.values.size()) == 0) return "";
    const auto step = static_cast<size_t>(output.type.bytes());
    const bool is_float =
        output.type.code == halide_type_float || output.type.code == halide_type_bfloat;
    double largest = 0;
    for (size_t i = 0; i < output.values.size(); i += step) {
        const double value = std::abs(value_at(reference + i, output.type));
        if (std::isfinite(value)) largest = std::max(largest, value);
    }
    size_t differing = 0, worst = 0;
    double most = 0;
    for (size_t i = 0; i < output.values.size(); i += step) {
        const double a = value_at(output.values.data() + i, output.type),
                     b = value_at(reference + i, output.type);
        if (a == b || (std::isnan(a) && std::isnan(b))) continue;
        const double allowed = is_float && std::isfinite(b) ? tolerance.relative * std::abs(b) +
                                                                  tolerance.of_largest * largest
                                                            : 0;
        const double apart = std::abs(a - b);
        if (apart <= allowed) continue;  // false where one of them is not a number
        differing++;
        if (!(apart <= most)) {
            most = apart;
            worst = i;
        }
    }
    const auto elements = static_cast<double>(output.values.size() / step);
    if (static_cast<double>(differing) <= tolerance.differing_share * elements) return "";
    return std::to_string(differing) + " of " + std::to_string(output.values.size() / step) +
           " values differ, for one " +
           std::to_string(value_at(output.values.data() + worst, output.type)) + " for " +
           std::to_string(value_at(reference + worst, output.type));
}

}  // namespace

std::string difference(std::span<const Output> outputs, std::span<const std::byte> reference,
                       const Tolerance &tolerance) {
    size_t bytes = 0;
    for (const Output &output : outputs) bytes += output.values.size();
    if (bytes != reference.size())
        return "there are " + std::to_string(bytes) + " bytes of outputs for " +
               std::to_string(reference.size());
    const std::byte *at = reference.data();
    for (const Output &output : outputs) {
        const std::string text = difference_of(output, at, tolerance);
        if (!text.empty()) return text;
        at += output.values.size();
    }
    return "";
}

}  // namespace cryolite
