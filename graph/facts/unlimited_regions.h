// Which Funcs need more points for a larger output, without a limit. Stored at root, their memory has no constant size
// and no constant limit of it that Halide could find.
#pragma once

#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// [FuncId]: whether the region of the Func grows without a limit in some dimension. It does if a reader's pure loop
// that does so moves an exact affine index without a clamp. Outputs grow in all dimensions that the user has not
// bounded. false: it is not known.
std::vector<bool> unlimited_regions(const StageGraph &graph);

}  // namespace cryolite
