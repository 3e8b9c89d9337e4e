// Reduction loops along the rows of what a stage reads: the taps in one row of a convolution's window. If they are
// unrolled, each copy finds its loads at a known distance from those of the first, so that no copy needs an address of
// its own. Copies along a column do. x86 has few registers for addresses, so that LLVM then loads many operands ahead
// and spills them (seen in the code of a transposed convolution).
#pragma once

#include <optional>

#include "graph/stage_graph.h"

namespace cryolite {

// The innermost such loop of constant extent that may stand inside of the stage's other reduction loops; nothing: the
// stage has none.
std::optional<size_t> row_taps(const StageGraph &graph, const Stage &stage);

}  // namespace cryolite
