// What is done to a Func, mostly a reduction, before the search, since it changes the pipeline's Funcs. Whether it pays
// is decided by short searches (plugin/planning/division.h); the search that counts then sees an ordinary pipeline.
// - Parts side by side (Halide's rfactor): partial results in the lanes of a vector, or in parallel blocks. An update
//   f(args) = f(args) + g(r) becomes a Func of partial results and an update of f that combines them.
// - A copy (Halide's in()): all readers read a copy of f. Tiles of the copy can hold the sums while they grow, in
//   registers. At root, where a reader that wants all of f would have them, their addresses are often not known well
//   enough for that. A copy can also turn what is stored across its rows (search/reads/gathered_rows.h) back, once for
//   all loads of its readers.
// Free of Halide; graph/builder/divide_reductions.h does it.
#pragma once

#include <cstdint>
#include <string>

namespace cryolite {

struct DividedReduction {
    // Lanes: `points` partial results; one takes every `points`-th iteration of the loop.
    // Blocks: a partial result for each run of `points` iterations.
    // Copy: of the whole Func; `stage`, `loop` and `points` say nothing.
    enum class Kind : uint8_t { Lanes, Blocks, Copy };
    std::string func;
    int stage = 1;     // Stage::index of the update
    std::string loop;  // its reduction loop, StageLoop::name
    Kind kind = Kind::Lanes;
    int64_t points = 0;
    bool operator==(const DividedReduction &) const = default;
};

}  // namespace cryolite
