#include "search/divisions/reductions.h"

#include <algorithm>

namespace cryolite {
namespace {

// A loop whose iterations change the same values.
bool is_shared(const StageLoop &loop) { return loop.is_reduction && !loop.parallelizable; }

// How far an iteration of the loop moves the index; nothing where that is not known.
std::optional<double> step(const IndexMap &index, size_t loop) {
    if (!index.depends_on[loop]) return 0;
    if (index.affine) return index.coefficient[loop].value();
    if (index.irregular[loop]) return std::nullopt;
    return index.step[loop].value();
}

// Calls what(access, dimension of the producer along which neighbours lie in memory) for all that the stage reads of
// others.
template <typename Function>
void for_each_load(const Reduction &r, const Function &what) {
    for (EdgeId e : r.stage.incoming) {
        const Edge &edge = r.graph.edge(e);
        const Func &producer = r.graph.func(edge.producer);
        if (edge.is_self || producer.storage_order.empty()) continue;
        for (const Access &access : edge.accesses)
            what(access, static_cast<size_t>(row_dim(producer)));
    }
}

// Whether neighbouring iterations read neighbours in memory.
bool reads_a_row_along(const Access &access, size_t inner, size_t loop) {
    for (size_t d = 0; d < access.index.size(); d++)
        if (step(access.index[d], loop) != (d == inner ? 1.0 : 0.0)) return false;
    return true;
}

// In all loads that move with the loop.
bool reads_only_rows_along(const Reduction &r, size_t loop) {
    bool all = true;
    for_each_load(r, [&](const Access &access, size_t inner) {
        const bool moves = std::ranges::any_of(
            access.index, [&](const IndexMap &index) { return index.depends_on[loop]; });
        all &= !moves || reads_a_row_along(access, inner, loop);
    });
    return all;
}

}  // namespace

std::vector<size_t> dividable_loops(const StageGraph &graph, const Stage &stage) {
    const Func &func = graph.func(stage.func);
    if (stage.index == 0 || func.locked || func.is_extern || func.enclosed || stage.is_undefined ||
        stage.predicate_narrows)
        return {};
    std::vector<size_t> loops;
    for (size_t l = 0; l < stage.loops.size(); l++) {
        if (stage.loops[l].is_reduction && !stage.loops[l].reorderable) return {};
        if (is_shared(stage.loops[l])) loops.push_back(l);
    }
    return loops;
}

Reduction::Reduction(const StageGraph &graph, const Stage &stage)
    : graph(graph), stage(stage), ranges(stage.loops.size()) {
    graph.loop_ranges(stage, func().root_region, ranges);
}

bool Reduction::reduces(size_t loop) const { return is_shared(stage.loops[loop]); }

int64_t Reduction::points() const {
    int64_t n = 1;
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (!reduces(l)) n *= std::max<int64_t>(1, extent(l));
    return n;
}

double Reduction::iterations() const {
    double n = static_cast<double>(points());
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (reduces(l)) n *= static_cast<double>(extent(l));
    return n;
}

std::optional<DividedReduction> whole_of(const Reduction &r) {
    if (!r.func().is_output() || !writes_in_place(r.stage)) return std::nullopt;
    const auto loop = outermost_with_parts(r, 1, [&](size_t l) { return r.extent(l); });
    if (!loop || r.extent(*loop) < 2) return std::nullopt;
    return DividedReduction{r.func().name, r.stage.index, r.stage.loops[*loop].name,
                            DividedReduction::Kind::Blocks, r.extent(*loop)};
}

bool reads_rows_along(const Reduction &r, size_t loop) {
    bool some = false;
    for_each_load(r, [&](const Access &access, size_t inner) {
        some |= reads_a_row_along(access, inner, loop);
    });
    return some;
}

bool has_vectors(const Reduction &r, int64_t lanes) {
    const Func &func = r.func();
    for (size_t l = 0; l < r.stage.loops.size(); l++) {
        const StageLoop &loop = r.stage.loops[l];
        if (loop.is_reduction || func.storage_order.empty() || loop.func_dim != row_dim(func) ||
            r.extent(l) < lanes)
            continue;
        return reads_only_rows_along(r, l);
    }
    return false;
}

bool writes_in_place(const Stage &stage) {
    for (const Access &store : stage.stores)
        for (const IndexMap &index : store.index)
            if (!index.affine) return false;
    return true;
}

}  // namespace cryolite
