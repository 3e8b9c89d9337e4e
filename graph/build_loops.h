// The loops of one stage: ranges of reduction loops, and which loops may be reordered, run in
// parallel or be vectorised.
#pragma once

#include <string>
#include <vector>

#include "graph/estimates.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Appends to `warnings` where a range had to be assumed.
std::vector<StageLoop> stage_loops(const FuncView &f, size_t stage, const Estimates &estimates,
                                   const ir::FuncValueBounds &value_bounds,
                                   std::vector<std::string> &warnings);

// Of an output's stage: whether rows start at addresses of which nothing is known when it is compiled,
// because some loop moves by a stride that neither the schedule nor a constraint of the buffer gives.
bool rows_start_anywhere(const FuncView &output, const std::vector<StageLoop> &loops,
                         int innermost);

// Whether no constraint gives the extent of the output's buffers in a dimension.
bool has_free_extent(const FuncView &output, int dim);
// Another dimension of which no constraint gives the stride; -1: there is none.
int dimension_of_free_stride(const FuncView &output, int dim);

}  // namespace cryolite
