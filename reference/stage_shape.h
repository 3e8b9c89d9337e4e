// The loops that a plan wants for a stage, whatever method it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/interval.h"
#include "graph/stage_graph.h"

namespace cryolite::strategies {

struct ShapeLevel {
    int loop = 0;      // index into Stage::loops
    int64_t span = 1;  // points of it that one iteration covers
};

struct StageShape {
    // Outermost first. The spans of a loop fall strictly from the outside in, and the last is 1; a
    // loop of a single iteration may be left out.
    std::vector<ShapeLevel> levels;
    std::optional<int> vector_loop = std::nullopt;
    int64_t vector_width = 1;        // the widest; narrower where the loop or its tile is short
    std::vector<int> unrolled = {};  // loops whose innermost level is copied out
    int parallel_levels = 0;         // how many of the outermost
};

// The splits of a shape as apply() takes them for a stage that computes `range`.
struct StageSplits {
    std::vector<std::vector<int64_t>> spans;  // per loop, without the last 1
    int vector_width = 1;                     // 1: no vector
    bool adapted = false;                     // some span is not the plan's
};
// Loops that a predicate depends on stay whole; a tile of the vector's loop becomes a whole number
// of vectors, and a tile of tiles a whole number of those.
StageSplits splits_of(const Stage &stage, const Intervals &range, const StageShape &shape);

}  // namespace cryolite::strategies
