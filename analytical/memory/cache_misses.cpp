#include "analytical/memory/cache_misses.h"

#include "analytical/memory/memory_traffic.h"
#include "code/kernel/kernels.h"

namespace cryolite {

std::vector<double> cache_misses(const LoopNest &nest, const Machine &machine) {
    const StageGraph &graph = nest.graph();
    StageExpander expander(graph);
    FootprintWalker walker(graph);
    SetLoadsMemo set_loads(machine);
    std::vector<double> misses(machine.caches.size(), 0);
    for (const Kernel &kernel : kernels_of(nest, expander)) {
        const KernelWork work(graph, machine, expander, walker, nest, kernel.members);
        if (work.too_large()) return {};
        const MemoryTraffic traffic(graph, machine, work, set_loads,
                                    MemoryTraffic::Before::Nothing);
        for (const StageWork &w : work.stages()) {
            const MemoryTraffic::PerCache of_stage = traffic.of(w, 1);
            for (size_t c = 0; c < misses.size(); c++)
                misses[c] += of_stage[c].loaded_lines + of_stage[c].stored_lines;
        }
    }
    return misses;
}

}  // namespace cryolite
