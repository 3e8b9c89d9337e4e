// AutoGPU, the thesis's scheduler for GPUs (chapter 6), as a way to schedule a whole pipeline: its
// groups (reference/autogpu/grouping.h) carried out as actions.
#pragma once

#include "code/legality/gpu_kernels.h"
#include "reference/autogpu/grouping.h"
#include "reference/strategy.h"

namespace cryolite {

// Never fails, and the kernels can be launched on the device. The output of a group is at root, its tile
// a block of threads; members are computed at the block level, in shared memory, or nested in the
// threads, in registers. What a group cannot have (storage that grows with a size, more than the device
// grants) is at root, a kernel of its own.
//
// Stages that no group covers, updates that do not drive theirs for instance, are kernels over the same tile where they
// have the loops, else over their longest pure loop. A Func with a stage that has no pure loop to map (scalars,
// histograms) stays on the host as in the plain schedule, unless members of its group are in a kernel of it, and so
// does one whose buffer may be empty; Halide copies what crosses over. The report counts stages on the host as plain,
// and as adapted those whose threads no plan has sized and those of a group that was taken apart.
StrategyResult auto_gpu_schedule(const StageGraph &graph, const gpu::GpuDevice &device,
                                 const Machine &host,
                                 gpu::NestedFusion nested = gpu::NestedFusion::WhereSevere);

}  // namespace cryolite
