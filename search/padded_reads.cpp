#include "search/padded_reads.h"

#include <algorithm>

#include "search/whole_reads.h"

namespace cryolite {
namespace {

// Vectors have up to 64 lanes of which the compiler makes one clamped load each. Two such vectors are a quarter of a
// row of this length, and a few percent of a longer one of wider values.
constexpr int64_t short_row = 512;

bool is_copy(const Func &func) {
    return func.is_trivial && func.can_inline && !func.storage_order.empty();
}

// Whether the Func, or a copy that it reads, clamps an index that moves along the rows.
bool clamps_rows(const StageGraph &graph, const Func &func) {
    const Stage &stage = graph.stage(func.stages[0]);
    for (EdgeId e : stage.incoming) {
        const Edge &edge = graph.edge(e);
        const Func &below = graph.func(edge.producer);
        for (const Access &a : edge.accesses)
            for (const IndexMap &index : a.index)
                for (size_t l = 0; l < stage.loops.size(); l++)
                    if (stage.loops[l].func_dim == func.storage_order[0] &&
                        l < index.depends_on.size() && index.depends_on[l] &&
                        index.clamp != Clamp::None)
                        return true;
        if (!below.is_input() && is_copy(below) && clamps_rows(graph, below)) return true;
    }
    return false;
}

}  // namespace

bool is_worth_padding(const StageGraph &graph, const Func &func) {
    return !func.is_input() && is_copy(func) && is_loaded_repeatedly(graph, func) &&
           func.root_region[static_cast<size_t>(func.storage_order[0])].extent() <= short_row &&
           clamps_rows(graph, func);
}

}  // namespace cryolite
