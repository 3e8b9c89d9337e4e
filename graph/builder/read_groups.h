// Reads whose indices differ by constants only, such as the taps of a filter. What bounds the first and the last of
// them bounds all, so that an analysis need not go through each: where Funcs read each other by four taps, five Funcs
// deep, it would go through a thousand.
#pragma once

#include <vector>

#include "graph/halide/expression_dag.h"

namespace cryolite {

struct ReadGroup {
    const ir::Call *load;  // one of them; the dag's expressions keep it alive
    int dim;               // of what is read
    int index;             // the node of one of the indices in this dimension
    Expr first, last;      // the least and the greatest index
};

// All reads of Funcs and inputs in `dag`, a group for each dimension of what they read. In the order of the dag.
std::vector<ReadGroup> read_groups(const ExpressionDag &dag);

}  // namespace cryolite
