// A stage's operations in groups by what they depend on (OperationGroup).
#pragma once

#include <vector>

#include "graph/halide/expression_dag.h"
#include "graph/halide/pipeline_view.h"
#include "graph/operations.h"

namespace cryolite {

struct CountedOperation {
    int node = 0;  // of the ExpressionDag
    OperationCount operation;
    bool of_predicate = false;
    std::vector<float> kept_share = {};  // see OperationGroup
};

struct FoundGroup {
    OperationGroup group;  // edge and access are not yet set
    Expr follows;          // the call whose value alone the group uses; undefined if there is none
};

// self: the name of the stage's own Func.
std::vector<FoundGroup> group_operations(const ExpressionDag &dag,
                                         const std::vector<CountedOperation> &counted,
                                         const StageView &stage, const std::string &self);

}  // namespace cryolite
