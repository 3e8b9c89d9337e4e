#include "featurize/kernels.h"

#include "base/hash.h"

namespace cryolite {

std::vector<Kernel> kernels_of(const LoopNest &nest, StageExpander &expander) {
    const StageGraph &graph = nest.graph();
    std::vector<Kernel> kernels;
    SmallVector<int, 32> kernel_of(graph.num_scheduled(), -1);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const FuncId f(i);
        if (!nest.decided(f) || nest.at(f).placement == Placement::Inline) continue;
        const FuncNest &n = nest.at(f);
        if (n.placement == Placement::Root) {
            kernel_of[i] = static_cast<int>(kernels.size());
            kernels.emplace_back();
        } else {
            kernel_of[i] = kernel_of[graph.stage(n.compute_at->stage).func.index()];
        }
        Kernel &k = kernels[static_cast<size_t>(kernel_of[i])];
        k.members.push_back(f);
        k.key.push_back(n.hash);
        for (StageId s : graph.func(f).stages)
            for (FuncId g : expander.expand(nest, s).inlined)
                k.key.push_back(static_cast<uint64_t>(g.value));
    }
    return kernels;
}

uint64_t hash_of(const Kernel &kernel) {
    Hasher h;
    for (uint64_t v : kernel.key) h.add(v);
    return h.value();
}

}  // namespace cryolite
