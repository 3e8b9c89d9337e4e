#include "analytical/costed_nest.h"

#include <algorithm>

#include "graph/facts/assumed_inlining.h"

namespace cryolite {

UndecidedBlocks::UndecidedBlocks(const StageGraph &graph, const Machine &machine)
    : bytes_(graph.funcs().size(), 0), block_(bytes_) {
    const std::vector<double> asked = points_asked_for(graph);
    for (const Func &func : graph.funcs()) {
        if (func.is_trivial || func.is_output() || func.is_input() || func.assumed_inlined)
            continue;
        const double stored = std::min(points(func.root_region), asked[func.id.index()]);
        const double bytes = stored * func.bytes_per_point();
        const double block = largest_block(func, bytes);
        if (Allocations::is_mapped(machine, block)) continue;
        bytes_[func.id.index()] = bytes;
        block_[func.id.index()] = block;
        by_size_.push_back(func.id);
    }
    std::ranges::stable_sort(by_size_, std::greater(), [&](FuncId f) { return block_[f.index()]; });
}

double UndecidedBlocks::sum(const LoopNest &nest) const {
    double sum = 0;
    for (FuncId f : by_size_)
        if (!nest.decided(f)) sum += bytes(f);
    return sum;
}

size_t UndecidedBlocks::largest(const LoopNest &nest, size_t from) const {
    while (from < by_size_.size() && nest.decided(by_size_[from])) from++;
    return from;
}

}  // namespace cryolite
