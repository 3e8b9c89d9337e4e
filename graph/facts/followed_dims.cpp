#include "graph/facts/followed_dims.h"

#include <algorithm>

namespace cryolite {
namespace {

constexpr int unknown = -1, ambiguous = -2;

// The dimension of the stage's Func that the index follows in steps of 1.
int followed_by(const Stage &stage, const IndexMap &index) {
    if (!index.affine) return unknown;
    int dim = unknown;
    for (size_t l = 0; l < index.coefficient.size(); l++) {
        if (index.coefficient[l].numerator == 0) continue;
        if (dim != unknown || index.coefficient[l] != Rational{1, 1} || stage.loops[l].is_reduction)
            return unknown;
        dim = stage.loops[l].func_dim;
    }
    return dim;
}

}  // namespace

DimWalkers dim_walkers(const StageGraph &graph, FuncId start) {
    DimWalkers walkers;
    // Readers have smaller ids than what they read.
    for (const Func &reader : graph.funcs()) {
        if (reader.id != start && !walkers.contains(reader.id)) continue;
        const std::vector<int> own = reader.id == start ? std::vector<int>{} : walkers[reader.id];
        for (StageId s : reader.stages) {
            for (EdgeId e : graph.stage(s).incoming) {
                const Edge &edge = graph.edge(e);
                if (edge.is_self) continue;
                std::vector<int> &of = walkers[edge.producer];
                of.resize(graph.func(edge.producer).root_region.size(), unknown);
                for (const Access &access : edge.accesses) {
                    for (size_t d = 0; d < of.size(); d++) {
                        int dim = followed_by(graph.stage(s), access.index[d]);
                        if (dim >= 0 && !own.empty()) dim = own[static_cast<size_t>(dim)];
                        if (dim == unknown) continue;
                        of[d] = of[d] == unknown || of[d] == dim ? dim : ambiguous;
                    }
                }
            }
        }
    }
    return walkers;
}

std::vector<int> followed_dims(const StageGraph &graph, FuncId f, FuncId other) {
    std::vector<int> followed(graph.func(f).root_region.size(), unknown);
    DimWalkers here_only, there_only;
    const auto of = [&](FuncId which, DimWalkers &only) -> const DimWalkers & {
        if (const DimWalkers *known = graph.walkers(which)) return *known;
        only = dim_walkers(graph, which);
        return only;
    };
    const DimWalkers &of_other = of(other, there_only);
    for (const auto &[read, dims] : of(f, here_only)) {
        const auto common = of_other.find(read);
        if (common == of_other.end()) continue;
        for (size_t d = 0; d < dims.size(); d++) {
            const int there = common->second[d];
            if (dims[d] < 0 || there < 0 || std::ranges::count(followed, there)) continue;
            int &here = followed[static_cast<size_t>(dims[d])];
            if (here == unknown) here = there;
        }
    }
    return followed;
}

}  // namespace cryolite
