// The cycles of one stage in its kernel.
#pragma once

#include <algorithm>

#include "analytical/cycles/stage_cycles.h"
#include "code/kernel/kernels.h"

namespace cryolite::test {

// No Func counts as living in registers.
inline StageCycles cycles_of(const LoopNest &nest, const Machine &machine, StageId stage) {
    const StageGraph &graph = nest.graph();
    StageExpander expander(graph);
    for (const Kernel &kernel : kernels_of(nest, expander)) {
        if (std::ranges::find(kernel.members, graph.stage(stage).func) == kernel.members.end())
            continue;
        const KernelCode code(graph, expander, nest, kernel.members);
        KernelStorage storage(code, machine);
        storage.in_registers.clear();
        for (const StageCode &s : code.stages())
            if (s.stage->id == stage) return stage_cycles(nest, machine, s, storage);
    }
    return {};
}

}  // namespace cryolite::test
