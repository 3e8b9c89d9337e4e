// Whether two runs computed the same.
#pragma once

#include <span>
#include <string>

#include "autotune/runnable.h"

namespace cryolite {

// Floats may differ by as much as another order of roundings makes them differ. What is computed of floats may then
// fall on the other side of a threshold or of a rounding to whole numbers, so a few elements may differ by more.
struct Tolerance {
    double relative = 1e-3;         // of the value
    double of_largest = 1e-5;       // of the largest value, on top: what sums of large terms leave
    double differing_share = 1e-3;  // of the elements
};

// Empty if they are the same, else in words how they differ. reference: the values of all outputs, one output after the
// other.
std::string difference(std::span<const Output> outputs, std::span<const std::byte> reference,
                       const Tolerance &tolerance = {});

}  // namespace cryolite
