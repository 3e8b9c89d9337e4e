// Boundary conditions of short rows. Near the border of an image a clamped vector load is a load per lane, and if rows
// are only a few vectors long, most vectors are near it. A padded copy clamps each point once, however often its
// readers load it: once per tap and output channel in a convolution of a small image. Where each value is loaded that
// often the copy pays in any image: sums over channels broadcast what they load, and the condition of a broadcast is
// arithmetic beside each load.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// Whether `func` is such a boundary condition: it copies values, it or a copy below it clamps an index, and a reader
// loads several points of it for each of its own. Either the index is along its rows and these are short, or each
// value is loaded many times.
bool is_worth_padding(const StageGraph &graph, const Func &func);

}  // namespace cryolite
