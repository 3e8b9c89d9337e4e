// Which Funcs must not have a buffer on a GPU, since it may be one of nothing.
#include <algorithm>

#include "code/legality/gpu_kernels.h"

namespace cryolite {

namespace {

// What a predicate leaves depends on where its pure loops are, and may be nothing. (One of an RDom's
// loops alone leaves some of it at every size, or the update would be none.)
bool may_exclude_all(const Stage &reader) {
    return std::ranges::any_of(reader.loops, [](const StageLoop &loop) {
        return loop.in_predicate && !loop.is_reduction;
    });
}

// By FuncId. Readers come first in the order of ids.
std::vector<bool> may_be_empty(const StageGraph &graph) {
    std::vector<bool> empty(graph.funcs().size(), false);
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || func.is_output()) continue;
        empty[func.id.index()] = std::ranges::all_of(func.outgoing, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            const Stage &reader = graph.stage(edge.consumer);
            return edge.is_self || may_exclude_all(reader) || empty[reader.func.index()];
        });
    }
    return empty;
}

}  // namespace

std::vector<bool> funcs_kept_on_host(const StageGraph &graph) {
    const std::vector<bool> empty = may_be_empty(graph);
    std::vector<bool> kept = empty, reads_empty(empty.size(), false);
    for (size_t i = graph.num_scheduled(); i-- > 0;) {
        for (StageId s : graph.func(FuncId(i)).stages) {
            for (EdgeId e : graph.stage(s).incoming) {
                const size_t producer = graph.edge(e).producer.index();
                if (producer == i) continue;
                // Through what may be inlined, too.
                if (empty[producer] ||
                    (reads_empty[producer] && graph.func(FuncId(producer)).can_inline))
                    reads_empty[i] = true;
            }
        }
        if (reads_empty[i]) kept[i] = true;
    }
    return kept;
}

}  // namespace cryolite
