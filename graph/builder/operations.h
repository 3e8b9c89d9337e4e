// What the right-hand side of a stage computes: its operations, and how long they wait for each other.
#pragma once

#include "graph/builder/operation_groups.h"
#include "graph/halide/pipeline_view.h"
#include "graph/operations.h"
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
    double recurrence_chain = 0;  // see graph/builder/recurrences.h
};
// loops: of the stage. self: the name of the stage's own Func.
StageOperations stage_operations(const StageView &stage, std::span<const StageLoop> loops,
                                 const std::string &self);

}  // namespace cryolite
