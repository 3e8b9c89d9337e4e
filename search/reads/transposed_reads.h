// Copies that are read transposed. A plain copy costs nothing inlined, unless the vectors of its readers walk
// across the rows of what it copies: each lane then loads from a line of its own. Such a copy is computed in a
// block of its reader instead. It reads by rows, and is transposed in registers or in the first cache
// (action::ReorderStorage).
#pragma once

#include <optional>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// The dimension of a copy that walks along the rows of its source; nothing if `func` is no copy. A copy is
// pure, computes nothing and reads one Func. Each of its dimensions moves at most one dimension of that Func.
std::optional<int> source_row_dim(const StageGraph &graph, const Func &func);

// The dimension of `func` that its readers' vectors walk along, if that dimension is not the innermost in memory.
// Nothing if there is none or several, or if a predicate may narrow what is read (see keep_predicates_narrow() in
// graph/builder/build.cpp). Looks through inlined readers; all readers must be decided.
std::optional<int> dim_read_across_rows(const LoopNest &nest, const Func &func);

// The same of a copy; nothing if `func` is none.
std::optional<int> transposed_dim(const LoopNest &nest, FuncId func);

// Vectors along the rows of a Func read some copy transposed, directly or through trivial Funcs.
struct TransposedRead {
    // The Func's dimension that walks along the rows of the copy; -1: none, or a reduction.
    int row_dim = -1;
};
std::optional<TransposedRead> transposed_read(const StageGraph &graph, const Func &func);

}  // namespace cryolite
