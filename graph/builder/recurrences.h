// How long each step of a stage waits for the step before, where it goes on from what that one has stored: sums,
// cumulative sums, recursive filters, iterated maps.
#pragma once

#include <span>
#include <string>

#include "graph/halide/expression_dag.h"
#include "graph/halide/pipeline_view.h"

namespace cryolite {

// Cycles from one step to the next, at least, however many units there are: the longest chain of dependent operations
// from a value of the stage's own Func, as an earlier step has left it, to the value that takes its place. Elements of
// a tuple may take turns: the mean over their longest round counts. 0: no step reads what another one stores.
// own_cycles: of each node's operations. values: the nodes of stage.values. self: the name of the stage's own Func.
double recurrence_chain(const ExpressionDag &dag, std::span<const double> own_cycles,
                        const StageView &stage, std::span<const int> values,
                        const std::string &self);

}  // namespace cryolite
