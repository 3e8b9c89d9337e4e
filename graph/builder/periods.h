// Loops over which an expression repeats: x % 64, x / 2. What Halide makes of a vector or of unrolled copies of such a
// loop depends on where the loop begins. If x is a multiple of 8, 8 lanes of x % 64 are neighbours; else they may wrap
// around, and each is computed and loaded by itself.
#pragma once

#include <optional>
#include <span>

#include "graph/halide/expression_dag.h"
#include "graph/halide/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

// What repeats: value / divisor or value % divisor.
struct Repeating {
    int value = 0;  // a node
    int64_t divisor = 1;
    bool is_remainder = false;
};

// The node as such, however it is written.
std::optional<Repeating> repeating(const ExpressionDag &dag, const ExpressionNode &node);

// Fills in StageLoop::period and StageLoop::parts. Vectors are taken apart where a value, and not only an index, hangs
// on a remainder or a quotient by 2, 3 or 4: x % 2, or (x + y) % 2. Halide looks at the divisor alone, and not at what
// the value is for.
void note_periods(const StageView &stage, std::span<StageLoop> loops);

}  // namespace cryolite
