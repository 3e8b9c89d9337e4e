// The types that NVIDIA's tensor cores multiply. Pure data, like the rest of the room.
#pragma once

#include <cstdint>

namespace cryolite::tensorcore {

// The type of an operand's elements.
enum class Element : uint8_t { F16, BF16, I8, U8 };

// The type of the sums. I32 stands for UInt(32) too: both wrap alike.
enum class Sum : uint8_t { F32, F16, I32 };

struct ProductTypes {
    Element rows = Element::F16;     // of the operand that moves with the rows of the sums
    Element columns = Element::F16;  // of the operand that moves with their columns
    Sum sum = Sum::F32;

    bool operator==(const ProductTypes &) const = default;
};

int bytes_of(Element element);
const char *name_of(Element element);
const char *name_of(Sum sum);

// Whether GPUs have an instruction for these types, at some capability.
bool is_multiplied(const ProductTypes &types);
// The least compute capability (80 for 8.0) that multiplies them.
int least_capability(const ProductTypes &types);

}  // namespace cryolite::tensorcore
