// Is a variant's output the same picture as the reference's, as far as the app's tolerance says?
#pragma once

#include <cstddef>

#include "apps/common/app_list.h"

namespace cryolite::bench {

struct Comparison {
    bool equal = false;
    double differing_fraction = 0.0;  // of the elements, by more than the tolerance
    double largest_difference = 0.0;  // over all elements, in the output's own units
};

// Both arrays hold `bytes` bytes of elements of `type`. NaN equals only NaN.
Comparison compare_outputs(const std::byte *output, const std::byte *reference, std::size_t bytes,
                           apps::ElementType type, const apps::Tolerance &tolerance);

}  // namespace cryolite::bench
