#include "code/kernel/kernels.h"

#include <algorithm>

#include "base/hash.h"

namespace cryolite {

namespace {

void add_member(const LoopNest &nest, FuncId f, StageExpander &expander, Kernel &kernel) {
    kernel.members.push_back(f);
    kernel.key.push_back(nest.at(f).hash);
    for (StageId s : nest.graph().func(f).stages)
        for (FuncId g : expander.expand(nest, s).inlined)
            kernel.key.push_back(static_cast<uint64_t>(g.value));
}

}  // namespace

std::vector<Kernel> kernels_of(const LoopNest &nest, StageExpander &expander) {
    const StageGraph &graph = nest.graph();
    std::vector<Kernel> kernels;
    SmallVector<int, 32> index_of(graph.num_scheduled(), -1);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const FuncId f(i);
        if (!nest.decided(f) || nest.at(f).placement == Placement::Inline) continue;
        const FuncNest &n = nest.at(f);
        if (n.placement == Placement::Root) {
            index_of[i] = static_cast<int>(kernels.size());
            kernels.emplace_back();
        } else {
            index_of[i] = index_of[graph.stage(n.compute_at->stage).func.index()];
        }
        add_member(nest, f, expander, kernels[static_cast<size_t>(index_of[i])]);
    }
    return kernels;
}

Kernel kernel_of(const LoopNest &nest, KernelFuncs members, StageExpander &expander) {
    Kernel kernel;
    kernel.key.reserve(2 * members.size());
    for (FuncId f : members) add_member(nest, f, expander, kernel);
    return kernel;
}

FuncId root_of(const LoopNest &nest, FuncId f) {
    while (nest.at(f).compute_at) f = nest.graph().stage(nest.at(f).compute_at->stage).func;
    return f;
}

SmallVector<FuncId, 8> roots_of(const LoopNest &nest, FuncId f) {
    const StageGraph &graph = nest.graph();
    SmallVector<FuncId, 8> roots, found{f};
    SmallVector<uint64_t, 16> seen((graph.num_scheduled() + 63) / 64, 0);  // a bit per Func
    for (size_t i = 0; i < found.size(); i++) {
        const FuncId g = found[i];
        const bool is_decided = nest.decided(g);
        if (is_decided && nest.at(g).placement != Placement::Inline) {
            roots.push_back(root_of(nest, g));
            continue;
        }
        if (!is_decided && !graph.func(g).assumed_inlined) continue;
        for (EdgeId e : graph.func(g).outgoing) {
            const FuncId reader = graph.stage(graph.edge(e).consumer).func;
            uint64_t &word = seen[reader.index() / 64];
            const uint64_t bit = uint64_t{1} << (reader.index() % 64);
            if (!(word & bit)) found.push_back(reader);
            word |= bit;
        }
    }
    std::ranges::sort(roots);
    roots.resize(static_cast<size_t>(std::ranges::unique(roots).begin() - roots.begin()));
    return roots;
}

uint64_t hash_of(const Kernel &kernel) {
    Hasher h;
    for (uint64_t v : kernel.key) h.add(v);
    return h.value();
}

}  // namespace cryolite
