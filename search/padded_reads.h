// Boundary conditions of short rows. Near the border of an image a clamped vector load is a load per lane, and if rows
// are only a few vectors long, most vectors are near it. A padded copy clamps each point once, however often its
// readers load it: once per tap and output channel in a convolution of a small image.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// Whether `func` is such a boundary condition: it copies values, it or a copy below it clamps an index along its rows,
// these are short, and a reader loads several points of it for each of its own.
bool is_worth_padding(const StageGraph &graph, const Func &func);

}  // namespace cryolite
