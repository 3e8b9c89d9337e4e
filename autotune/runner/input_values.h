// The contents of inputs. A value depends on the element's coordinates and not on the size of the buffer: candidates
// that ask for regions of different sizes read the same values.
#pragma once

#include <HalideRuntime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "autotune/runner/array_file.h"
#include "autotune/runner/call_plan.h"
#include "base/result.h"

namespace cryolite {

// Fills a buffer at random by `seed` and the input's name. Without a range: floats from 0 to 1, 8 bits of all values,
// 16 bits below 1,024, wider integers below 256.
void fill_at_random(std::byte *first, std::span<const halide_dimension_t> dimensions,
                    halide_type_t type, std::string_view name, uint64_t seed,
                    const std::optional<std::array<double, 2>> &range);

// Whether a file is large enough for what is planned. Its dimensions of extent 1 at the end may be missing or too many.
// Errors say the size that is needed.
Result<bool> covers(const FileArray &file, const PlannedArgument &input);

// Fills a buffer with a file whose first element has the first coordinates of the input's planned region. Beyond the
// file its edges are repeated.
void fill_from_file(std::byte *first, std::span<const halide_dimension_t> dimensions,
                    const FileArray &file, const PlannedArgument &input);

}  // namespace cryolite
