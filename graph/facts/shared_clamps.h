// Clamps by hand that several loads share (Clamp::ByHand): those of the colours of a pixel, or of the rows of a window.
#pragma once

#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// Whether two loads of the Func's pure stage have one index that is clamped by hand and moves along dimension `dim`.
// Loads of trivial Funcs that may be inlined count. What is equal in other Funcs may be inlined elsewhere.
bool shares_hand_clamps(const std::vector<Func> &funcs, const std::vector<Stage> &stages,
                        const std::vector<Edge> &edges, FuncId func, int dim);

}  // namespace cryolite
