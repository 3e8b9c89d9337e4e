// Which reductions are divided into partial results for a GPU.
#pragma once

#include <vector>

#include "machine/gpu_device.h"
#include "search/divisions/divisions.h"

namespace cryolite {

// For each update that reduces:
// - blocks, where its points are too few threads to keep the device busy: a thread each, as many as the device wants,
//   but no more than leave the combination a small part of the work;
// - lanes, a warp's, where neighbouring iterations of a loop read neighbours and neighbouring points do not, so that
//   accesses coalesce;
// - a combination in two steps where many results of blocks would be combined one after another;
// - a single partial result for an output, in whose tiles sums stay in registers: those of a Func at root are in
//   memory.
std::vector<DivisionChoice> gpu_division_choices(const StageGraph &graph,
                                                 const gpu::GpuDevice &device);

}  // namespace cryolite
