// Funcs that the tiles of no reader can hold.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// Whether the Func is read as a whole: by several Funcs, or by one that reads a whole dimension of it for each of its
// points, as a matrix product does. Computed in tiles of a reader, it would be computed again and again.
bool is_read_as_a_whole(const StageGraph &graph, const Func &func);

// Whether a reader loads several points of the Func for one of its own.
bool is_loaded_repeatedly(const StageGraph &graph, const Func &func);

}  // namespace cryolite
