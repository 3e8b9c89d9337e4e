// Where a split may round up: which dimensions of which Funcs can be computed beyond the required region. No
// pipeline input may then be read where the unscheduled pipeline may not read it.
#pragma once

#include <string>
#include <vector>

#include "graph/halide/estimates.h"
#include "graph/halide/pipeline_view.h"

namespace cryolite {

// [Func of the view][dimension]. locked: from locked_funcs().
// Past the end of the region:
std::vector<std::vector<bool>> overcomputable_dimensions(const PipelineView &view,
                                                         const std::vector<std::string> &locked,
                                                         const Estimates &estimates,
                                                         const ir::FuncValueBounds &value_bounds);

// Before its begin. An input counts as beginning at 0 or before: an index that is clamped from 0 says so. No output is
// among them.
std::vector<std::vector<bool>> dimensions_that_may_begin_before(
    const PipelineView &view, const std::vector<std::string> &locked, const Estimates &estimates,
    const ir::FuncValueBounds &value_bounds);

}  // namespace cryolite
