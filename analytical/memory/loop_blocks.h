// What the tasks of a kernel take from malloc.
#pragma once

#include <span>

#include "analytical/memory/allocations.h"
#include "featurize/counts/kernel_work.h"
#include "graph/stage_graph.h"

namespace cryolite {

// The blocks of the Funcs that are stored inside the kernel's loops. allocated: positions in work.stages()
// of the stages whose Funcs are on the heap, one stage per Func, in ascending order.
BothBounds<LoopBlocks> blocks_in_loops(const StageGraph &graph, const KernelWork &work,
                                       std::span<const size_t> allocated);

}  // namespace cryolite
