// Which Funcs count as inlined until they are decided. Readers are priced before it is known where a Func will be.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// Whether inlining the Func costs nothing: a plain copy of an input, or a Func that only copies values and is read
// at most once per point. In both cases rows of the Func are rows of what it reads.
bool is_free_to_inline(const StageGraph &graph, const Func &func);

// Whether one Func alone reads the Func, once at each of its own points, and has no larger values. Inlined, it is
// computed as often as at any other place; and where its reader is inlined in turn, storing the reader is no worse than
// storing this Func. Not before an output, whose loops and storage are not the search's to choose, nor once the bodies
// that would join have many operations together.
bool is_pointwise_link(const StageGraph &graph, const Func &func);

// [FuncId]: upper bound of the points of the Func that are computed if all Funcs are inlined that can be. It is
// less than the points of root_region where readers pick few points out of a large region, for example at loaded
// indices.
std::vector<double> points_asked_for(const StageGraph &graph);

// [FuncId]: whether the Func counts as inlined until it is decided. It does if nothing else is legal, if inlining
// is free, if it is a pointwise link, or if inlining computes fewer points than its root region has.
std::vector<bool> assumed_inlined(const StageGraph &graph);

}  // namespace cryolite
