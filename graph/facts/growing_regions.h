// Which reads need more points at the ends of the reader's loops than in the middle. Near a border a mirror is such a
// read: Halide knows only that it stays inside the image, so a few rows there need the whole image. A clamp needs less
// there.
#pragma once

#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// [dimension of the producer]. Probes the edge's region with parts of the reader's loops, from 1 point to half of the
// loop, at both ends and in the middle. A region that is more than twice as long at an end grows; a point more or less
// is rounding.
std::vector<bool> grows_at_ends(const StageGraph &graph, const Edge &edge);

}  // namespace cryolite
