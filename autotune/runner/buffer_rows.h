// A buffer row by row.
#pragma once

#include <HalideRuntime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cryolite {

// Calls row(at, offset) for each row along dimension 0: the coordinates of its first element, and how many elements the
// first element lies behind the buffer's first one. A buffer of 0 dimensions is one row.
template <typename Row>
void for_each_row(std::span<const halide_dimension_t> dimensions, Row row) {
    std::vector<int32_t> at;
    for (const halide_dimension_t &d : dimensions) {
        if (d.extent <= 0) return;
        at.push_back(d.min);
    }
    for (;;) {
        int64_t offset = 0;
        for (size_t d = 1; d < at.size(); d++)
            offset += int64_t{at[d] - dimensions[d].min} * dimensions[d].stride;
        row(std::span<const int32_t>(at), offset);
        size_t d = 1;
        for (; d < at.size(); d++) {
            if (++at[d] < dimensions[d].min + dimensions[d].extent) break;
            at[d] = dimensions[d].min;
        }
        if (d >= at.size()) return;
    }
}

inline halide_dimension_t row_of(std::span<const halide_dimension_t> dimensions) {
    return dimensions.empty() ? halide_dimension_t(0, 1, 1) : dimensions[0];
}

}  // namespace cryolite
