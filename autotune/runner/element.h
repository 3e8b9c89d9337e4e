// One value of any of Halide's types.
#pragma once

#include <HalideRuntime.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace cryolite {

inline bool is_float(halide_type_t type) {
    return type.code == halide_type_float || type.code == halide_type_bfloat;
}

// Writes a whole number; floats get its value, other types its lower bits.
void write_element(std::byte *to, halide_type_t type, uint64_t bits);
// Writes the nearest number that the type has; whole numbers are rounded and keep to the type's range.
void write_element(std::byte *to, halide_type_t type, double value);

// The least and the largest value of a type of whole numbers.
double least_of(halide_type_t type);
double largest_of(halide_type_t type);

std::string type_name(halide_type_t type);  // "uint8"

}  // namespace cryolite
