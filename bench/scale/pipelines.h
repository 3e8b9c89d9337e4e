// Pipelines of any length, for measuring how the search grows with it. The same shape, length and seed
// give the same pipeline everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <Halide.h>

namespace cryolite::bench {

struct Shape {
    std::string_view name;
    std::string_view doc;
};
// In the order of the tables.
std::span<const Shape> shapes();

// The output of a pipeline of `funcs` Funcs, with estimates. Throws std::invalid_argument for a shape
// that shapes() does not have, or fewer than four Funcs.
Halide::Func make_pipeline(std::string_view shape, int64_t funcs, uint64_t seed);

}  // namespace cryolite::bench
