// Random small StageGraphs, made without Halide: what the builder would make of pipelines of one to
// six Funcs of one to four dimensions. Stencils, resampling by fractions, mirrors, transposes,
// broadcasts, convolutions and other reductions, scans, scatters, gathers, tuples, storage orders;
// sizes are odd, prime and 1 as often as round.
#pragma once

#include <vector>

#include "base/random.h"
#include "graph/stage_graph.h"

namespace cryolite::oracle {

struct RandomGraph {
    StageGraph graph;
    // By edge and producer dimension: what a gather may find there; empty where it is affine. A
    // scatter writes where its edge to itself says.
    std::vector<Box> gathered;
    // Boxes travel through the graph without growing beyond the points that are read: no index adds
    // up two pure loops, whose ranges may depend on each other, and no update widens a dimension
    // that a later one walks. Otherwise regions are upper bounds.
    bool tight = true;
    // No index is divided: a box of loops asks for as much wherever it stands.
    bool steady = true;
};

RandomGraph draw_graph(Random random);

}  // namespace cryolite::oracle
