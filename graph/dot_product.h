// A sum of products of small integers: f(args) += int32(a) * int32(b), with factors of at most 16 bits. Processors have
// instructions that multiply neighbours and add the products to sums of 32 bits.
#pragma once

#include "graph/operations.h"

namespace cryolite {

struct DotProduct {
    // The narrowest types that hold the factors: 8 or 16 bits.
    ScalarType left, right;
    bool operator==(const DotProduct &) const = default;
};

}  // namespace cryolite
