#include "bench/runner/compare_outputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace cryolite::bench {
namespace {

template <typename T>
Comparison compare_as(const std::byte *output, const std::byte *reference, std::size_t bytes,
                      const apps::Tolerance &tolerance) {
    const std::size_t count = bytes / sizeof(T);
    std::size_t differing = 0;
    Comparison result;
    for (std::size_t i = 0; i < count; i++) {
        T left, right;
        std::memcpy(&left, output + i * sizeof(T), sizeof(T));
        std::memcpy(&right, reference + i * sizeof(T), sizeof(T));
        const double a = double(left), b = double(right);
        if (a == b || (std::isnan(a) && std::isnan(b))) {
            continue;
        }
        const double difference = std::abs(a - b);
        // Written so that a difference that is NaN counts as one.
        if (!(difference <= tolerance.absolute + tolerance.relative * std::abs(b))) {
            differing++;
        }
        result.largest_difference =
            std::isnan(difference) ? INFINITY : std::max(result.largest_difference, difference);
    }
    result.differing_fraction = count == 0 ? 0.0 : double(differing) / double(count);
    result.equal = result.differing_fraction <= tolerance.fraction;
    return result;
}

}  // namespace

Comparison compare_outputs(const std::byte *output, const std::byte *reference, std::size_t bytes,
                           apps::ElementType type, const apps::Tolerance &tolerance) {
    return apps::with_element_type(type, [&](auto value) {
        return compare_as<decltype(value)>(output, reference, bytes, tolerance);
    });
}

}  // namespace cryolite::bench
