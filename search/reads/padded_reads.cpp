#include "search/reads/padded_reads.h"

#include <algorithm>

#include "search/reads/whole_reads.h"

namespace cryolite {
namespace {

// Vectors have up to 64 lanes of which the compiler makes one clamped load each. Two such vectors are a quarter of a
// row of this length, and a few percent of a longer one of wider values.
constexpr int64_t short_row = 512;

bool is_copy(const Func &func) {
    return func.is_trivial && func.can_inline && !func.storage_order.empty();
}

// A copy clamps, stores and loads each value once more: some ten instructions, and cache misses where it is large. So
// often must it be loaded that one instruction less per load pays that.
constexpr double many_loads = 32;

// How often a reader's stages load each value, by the estimates.
double loads_per_value(const StageGraph &graph, const Func &func) {
    double loads = 0;
    for (EdgeId e : func.outgoing) {
        const Edge &edge = graph.edge(e);
        const Stage &reader = graph.stage(edge.consumer);
        const Box &region = graph.func(reader.func).root_region;
        double times = 1, calls = 0;
        for (const StageLoop &loop : reader.loops) {
            const Interval &range =
                loop.is_reduction ? loop.range : region[static_cast<size_t>(loop.func_dim)];
            times *= static_cast<double>(std::max<int64_t>(1, range.extent()));
        }
        for (const Access &a : edge.accesses) calls += a.count;
        loads = std::max(loads, times * calls);
    }
    return loads / std::max(1.0, points(func.root_region));
}

// Whether the Func, or a copy that it reads, clamps an index; if `rows`, one that moves along its rows.
bool clamps(const StageGraph &graph, const Func &func, bool rows) {
    const Stage &stage = graph.stage(func.stages[0]);
    for (EdgeId e : stage.incoming) {
        const Edge &edge = graph.edge(e);
        const Func &below = graph.func(edge.producer);
        for (const Access &a : edge.accesses)
            for (const IndexMap &index : a.index)
                for (size_t l = 0; l < stage.loops.size(); l++)
                    if ((!rows || stage.loops[l].func_dim == row_dim(func)) &&
                        l < index.depends_on.size() && index.depends_on[l] &&
                        index.clamp != Clamp::None)
                        return true;
        if (!below.is_input() && is_copy(below) && clamps(graph, below, rows)) return true;
    }
    return false;
}

}  // namespace

bool is_worth_padding(const StageGraph &graph, const Func &func) {
    if (func.is_input() || !is_copy(func) || !is_loaded_repeatedly(graph, func)) return false;
    const bool is_short =
        func.root_region[static_cast<size_t>(row_dim(func))].extent() <= short_row;
    if (is_short && clamps(graph, func, true)) return true;
    return loads_per_value(graph, func) >= many_loads && clamps(graph, func, false);
}

}  // namespace cryolite
