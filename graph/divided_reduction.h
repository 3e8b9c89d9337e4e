// A reduction that is done in parts, side by side (Halide's rfactor): partial results in the lanes of a vector, or in
// parallel blocks. It changes the pipeline's Funcs. An update f(args) = f(args) + g(r) becomes a Func of partial results
// and an update of f that combines them. Whether it pays is decided before the search (plugin/division.h), which then
// sees an ordinary pipeline. Free of Halide; graph/divide_reductions.h does it.
#pragma once

#include <cstdint>
#include <string>

namespace cryolite {

struct DividedReduction {
    // Lanes: `points` partial results; one takes every `points`-th iteration of the loop.
    // Blocks: a partial result for each run of `points` iterations.
    enum class Kind : uint8_t { Lanes, Blocks };
    std::string func;
    int stage = 1;     // Stage::index of the update
    std::string loop;  // its reduction loop, StageLoop::name
    Kind kind = Kind::Lanes;
    int64_t points = 0;
    bool operator==(const DividedReduction &) const = default;
};

}  // namespace cryolite
