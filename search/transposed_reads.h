// Reads across the rows of a copy. An input is read through a plain copy of it, which costs nothing
// inlined, unless the vectors of its readers walk across its rows: each element of a vector is then in a
// line of its own. Computed in a block of its reader, such a copy is read by rows and turned in registers
// or the first cache (schedule: action::ReorderStorage).
#pragma once

#include <optional>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// The dimension of a copy that walks along the rows of what it copies; nothing for any other Func.
// A copy is pure, computes nothing and reads one Func, each dimension of it along at most one of its own.
std::optional<int> rows_of_source(const StageGraph &graph, const Func &func);

// The dimension of `func`, a copy, that its readers' vectors walk along, where it is not innermost in
// memory; nothing where there is none. Looks through inlined readers; all must be decided. Nothing, too,
// for what a predicate may narrow: see graph/build.cpp.
std::optional<int> read_across(const LoopNest &nest, FuncId func);

// Vectors along the rows of a Func that read some copy across, be it through trivial Funcs.
struct AcrossRead {
    int along =
        -1;  // the Func's dimension that walks along the copy's rows; -1: none, or a reduction
};
std::optional<AcrossRead> reads_across(const StageGraph &graph, const Func &func);

}  // namespace cryolite
