// The least time that any schedule of a pipeline could take on a machine, by the roofline model: all arithmetic at
// full speed on all cores, or all compulsory traffic at full bandwidth, whichever is longer (Williams, Waterman and
// Patterson, "Roofline", CACM 2009).
//
// Arithmetic: every Func once per point that somebody needs, in full vectors. What does not depend on a loop is done
// once for all its iterations. Compulsory traffic: the pipeline's inputs are read once and its outputs written once. They
// come from the last cache where they all fit in it (pipelines run again and again), else from memory. Loads from
// caches, loops and launches are left out, so that no schedule gets there.
#pragma once

#include <algorithm>

#include "analytical/gpu/device.h"
#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// Seconds of one run at the estimates.
struct Roofline {
    double arithmetic_seconds = 0;
    double traffic_seconds = 0;
    double seconds() const { return std::max(arithmetic_seconds, traffic_seconds); }
};

Roofline roofline(const StageGraph &graph, const Machine &machine);
Roofline roofline(const StageGraph &graph, const gpu::GpuDevice &device);

}  // namespace cryolite
