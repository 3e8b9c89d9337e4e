// Integer intervals and boxes: the regions of Funcs and the ranges of loops at the estimates.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/small_vector.h"

namespace cryolite {

// Closed: min and max are both inside. max < min: empty.
struct Interval {
    int64_t min = 0;
    int64_t max = -1;

    static constexpr Interval point(int64_t v) { return {v, v}; }
    constexpr bool empty() const { return max < min; }
    constexpr int64_t extent() const { return empty() ? 0 : max - min + 1; }
    constexpr bool contains(const Interval &o) const {
        return o.empty() || (min <= o.min && o.max <= max);
    }
    constexpr bool operator==(const Interval &) const = default;
};

// The smallest interval around both.
constexpr Interval hull(const Interval &a, const Interval &b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

// The ranges of some loops.
using Intervals = SmallVector<Interval, 6>;

// One interval per dimension; dimension 0 first. No dimensions: a scalar, one point.
using Box = Intervals;

inline void grow_to_hull(Box &box, const Box &other) {
    for (size_t d = 0; d < box.size(); d++) box[d] = hull(box[d], other[d]);
}

// As double: the product of large extents must not overflow.
inline double points(const Box &box) {
    double n = 1;
    for (const Interval &i : box) n *= static_cast<double>(i.extent());
    return n;
}

}  // namespace cryolite
