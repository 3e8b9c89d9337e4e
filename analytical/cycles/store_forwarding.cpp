#include "analytical/cycles/store_forwarding.h"

#include <algorithm>
#include <optional>

namespace cryolite {
namespace {

// Whether vectors of so many lanes that read along dimension `row` begin where those do that were stored.
bool meets_the_vectors(const StageGraph &graph, const Edge &edge, size_t row, int64_t lanes) {
    const Stage &reader = graph.stage(edge.consumer);
    std::optional<Rational> first;
    for (const Access &a : edge.accesses) {
        const IndexMap &index = a.index[row];
        if (!index.affine) continue;  // one by one
        bool walks = false, walks_by_part = false;
        for (size_t l = 0; l < index.coefficient.size(); l++) {
            if (index.coefficient[l].is_zero()) continue;
            if (reader.loops[l].is_reduction)
                walks_by_part |= index.coefficient[l].numerator % lanes != 0;
            else
                walks = true;
        }
        if (!walks) continue;
        if (walks_by_part) return false;
        if (!first) first = index.offset;
        const Rational apart = index.offset + Rational{-first->numerator, first->denominator};
        if (apart.denominator != 1 || apart.numerator % lanes != 0) return false;
    }
    return true;
}

// What is computed next in the loop of the Func: the next Func there, else the loop's own stage.
FuncId next_in_loop(const LoopNest &nest, const FuncNest &placed) {
    for (size_t f = placed.func.index(); f-- > 0;)
        if (const FuncId other(f);
            nest.decided(other) && nest.at(other).compute_at == placed.compute_at)
            return other;
    return nest.graph().stage(placed.compute_at->stage).func;
}

bool has_vectors(const LoopNest &nest, StageId s) {
    const auto &loops = nest.stage_nest(s).loops;
    return !loops.empty() && loops.back().kind == LoopKind::Vectorized;
}

}  // namespace

bool waits_for_stores(const LoopNest &nest, const StageCode &code, bool has_masked_ends) {
    const StageGraph &graph = nest.graph();
    const Func &func = graph.func(code.stage->func);
    const FuncNest &placed = nest.at(func.id);
    const std::vector<int> &order = nest.storage_order(func.id);
    const InnerLoops &in = code.inner;
    // The stage that stores last, along the rows.
    if (!placed.compute_at || order.empty() || in.lanes == 1 || in.vector_dim < 0 ||
        code.stage->id != func.stages.back() ||
        code.stage->loops[static_cast<size_t>(in.vector_dim)].func_dim != order[0])
        return false;
    const FuncId next = next_in_loop(nest, placed);
    return std::ranges::any_of(func.outgoing, [&](EdgeId e) {
        const Edge &edge = graph.edge(e);
        const FuncId reader = graph.stage(edge.consumer).func;
        if (edge.is_self || reader != next || !has_vectors(nest, edge.consumer)) return false;
        return has_masked_ends ||
               !meets_the_vectors(graph, edge, static_cast<size_t>(order[0]), in.lanes);
    });
}

}  // namespace cryolite
