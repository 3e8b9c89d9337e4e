// What the right-hand side of a stage shows: operations, latency, registers, and whether it only copies.
#pragma once

#include "graph/build_operation_groups.h"
#include "graph/operations.h"
#include "graph/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

ScalarType scalar_type(const Halide::Type &type);

// Every distinct subexpression counts once. Not counted: constants, subexpressions that no loop of the stage
// changes (they are hoisted), and index arithmetic, except that of data-dependent indices.
struct StageOperations {
    OpHistogram total;
    std::vector<FoundGroup> groups;
    // The longest chain of dependent operations, in cycles: from the loads to the slowest of the stage's values,
    // with about the latencies of a current CPU. One point takes at least this long, however many units there
    // are.
    double longest_chain = 0;
};
// loops: of the stage. self: the name of the stage's own Func.
StageOperations stage_operations(const StageView &stage, std::span<const StageLoop> loops,
                                 const std::string &self);

// How many registers evaluate the right-hand side without spilling, if shared subexpressions are computed anew and
// operands in the best order (Ershov 1958). Constants need none; a loop, a parameter and a load need one. The result
// is the most of all tuple elements, the predicate and data-dependent store indices.
int strahler_number(const StageView &stage);

// Whether the stage only copies values: each is a constant, a parameter or a load, possibly cast, and no index is
// loaded. A select between a constant and such a value counts, too (a boundary condition).
bool copies_values(const StageView &stage);

// Whether every value is undef.
bool is_undefined(const StageView &stage);

}  // namespace cryolite
