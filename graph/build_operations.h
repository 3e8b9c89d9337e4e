// Op histogram of one stage, and what else its right-hand side shows.
#pragma once

#include "graph/build_operation_groups.h"
#include "graph/operations.h"
#include "graph/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

ScalarType scalar_type(const Halide::Type &type);

// Every distinct subexpression once. Not counted: constants, what does not vary with any loop of
// the stage (hoisted), and index arithmetic, except that of data-dependent indices.
struct StageOperations {
    OpHistogram total;
    std::vector<FoundGroup> groups;
    // Cycles from the loads to the slowest of the stage's values, each operation at about its latency on a
    // current CPU: what one point takes whose operations wait for each other, however many units there are.
    double longest_chain = 0;
};
// self: the name of the stage's own Func.
// loops: of the stage.
StageOperations stage_operations(const StageView &stage, std::span<const StageLoop> loops,
                                 const std::string &self);

// How many registers evaluate the right-hand side without spilling if shared subexpressions are
// computed anew and operands in the best order (Ershov 1958): constants need none, a loop, a
// parameter and a load one; the most of all tuple elements, predicate and stored indices.
int strahler_number(const StageView &stage);

// Every value is a load, at most cast, or a constant outside of a boundary.
bool copies_values(const StageView &stage);

// Every value is undef.
bool is_undefined(const StageView &stage);

}  // namespace cryolite
