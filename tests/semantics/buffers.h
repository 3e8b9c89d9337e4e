// Buffers for the comparison: inputs with reproducible data, outputs inside of red zones, and the
// comparison itself.
#pragma once

#include <ostream>
#include <vector>

#include <Halide.h>

#include "base/interval.h"

namespace cryolite {

// Data within the ranges that the generator assumes for the type (PipelineBuilder::add_input).
Halide::Buffer<> make_input(Halide::Type type, const Box &region, uint64_t seed);

// A buffer inside of a larger one: a store outside of `region` hits the red zone instead of the
// heap, and strides are odd. The first element is aligned as in a buffer of its own: vectorised
// updates of an output rely on that in Halide 21, whatever the schedule's author does.
struct GuardedBuffer {
    std::vector<unsigned char> storage;
    Halide::Buffer<> whole;
    Halide::Buffer<> inside;

    GuardedBuffer(Halide::Type type, const Box &region);
    GuardedBuffer(const GuardedBuffer &) = delete;  // the buffers point into the storage
    GuardedBuffer(GuardedBuffer &&) = default;
    // False, with the first place, if a byte of the red zone has changed.
    bool red_zone_intact(std::ostream &log) const;
};

// True if all elements agree: exactly, or for floats within `error_bound`. Logs the first that
// differ.
bool same_values(const Halide::Buffer<> &expected, const Halide::Buffer<> &actual,
                 double error_bound, std::ostream &log);

}  // namespace cryolite
