// The least time that any schedule of a pipeline could take on a machine, by the roofline model (Williams, Waterman and
// Patterson, "Roofline", CACM 2009). It is the longer of two times: all arithmetic at full speed on all cores, and all
// compulsory traffic at full bandwidth.
//
// - Arithmetic: every Func is computed once per needed point, in full vectors. Operations that do not depend on a loop
//   are done once for all its iterations. Sums of small products take the instructions that add up several at once.
// - Compulsory traffic: the pipeline reads its inputs once and writes its outputs once. On a CPU they stay in the last
//   cache if all fit there, since pipelines run again and again. Otherwise, and on a GPU, they come from memory.
// - Loads from caches, loops and launches are left out. So no schedule reaches the roofline.
#pragma once

#include <algorithm>

#include "graph/stage_graph.h"
#include "machine/gpu_device.h"
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
