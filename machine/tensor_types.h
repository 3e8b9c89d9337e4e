// The types that NVIDIA's tensor cores multiply. Pure data, like the rest of the room.
#pragma once

#include <cstdint>

namespace cryolite::tensorcore {

// The type of an operand's elements. TF32: 32-bit floats in memory, which are rounded to 10 bits of mantissa where they
// are multiplied.
enum class Element : uint8_t { F16, BF16, I8, U8, TF32 };

// The type of the sums. I32 stands for UInt(32) too: both wrap alike.
enum class Sum : uint8_t { F32, F16, I32 };

// What may become of the factors of a product. Exact: they keep their values. Tf32: 32-bit floats may be rounded, so
// that a product's relative error is up to 2^-10 (2^-11 for each factor).
enum class Precision : uint8_t { Exact, Tf32 };

struct ProductTypes {
    Element rows = Element::F16;     // of the operand that moves with the rows of the sums
    Element columns = Element::F16;  // of the operand that moves with their columns
    Sum sum = Sum::F32;

    bool operator==(const ProductTypes &) const = default;
};

int bytes_of(Element element);
const char *name_of(Element element);
const char *name_of(Sum sum);

// What the user must have allowed for a product of these types.
Precision precision_of(const ProductTypes &types);

// Whether GPUs have an instruction for these types, at some capability.
bool is_multiplied(const ProductTypes &types);
// The least compute capability (80 for 8.0) that multiplies them.
int least_capability(const ProductTypes &types);

}  // namespace cryolite::tensorcore
