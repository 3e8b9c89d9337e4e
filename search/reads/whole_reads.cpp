#include "search/reads/whole_reads.h"

#include <algorithm>

namespace cryolite {
namespace {

bool reads_a_whole_dimension(const StageGraph &graph, const Edge &edge) {
    const Func &func = graph.func(edge.producer);
    const Stage &reader = graph.stage(edge.consumer);
    for (size_t l = 0; l < reader.loops.size(); l++) {
        if (!reader.loops[l].is_reduction) continue;
        for (const Access &access : edge.accesses)
            for (size_t d = 0; d < access.index.size(); d++)
                if (access.index[d].depends_on[l] &&
                    reader.loops[l].range.extent() >= func.root_region[d].extent())
                    return true;
    }
    return false;
}

}  // namespace

bool is_read_as_a_whole(const StageGraph &graph, const Func &func) {
    return func.outgoing.size() > 1 || std::ranges::any_of(func.outgoing, [&](EdgeId e) {
               return reads_a_whole_dimension(graph, graph.edge(e));
           });
}

bool is_loaded_repeatedly(const StageGraph &graph, const Func &func) {
    return std::ranges::any_of(func.outgoing, [&](EdgeId e) {
        const Edge &edge = graph.edge(e);
        const auto &loops = graph.stage(edge.consumer).loops;
        return edge.accesses.size() > 1 || std::ranges::any_of(loops, &StageLoop::is_reduction);
    });
}

}  // namespace cryolite
