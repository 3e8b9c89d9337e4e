#include "search/space/scans.h"

#include <algorithm>

namespace cryolite {
namespace {

// Whether the value that is read lies beside the one that is stored, in the direction of the loop.
bool goes_on(const IndexMap &read, const IndexMap &stored, size_t loop) {
    return read.affine && stored.affine && !stored.coefficient[loop].is_zero() &&
           read.coefficient[loop] == stored.coefficient[loop] && read.offset != stored.offset;
}

}  // namespace

std::optional<size_t> scan_loop(const StageGraph &graph, const Stage &stage) {
    const auto goes_on_along = [&](size_t loop) {
        return std::ranges::any_of(stage.incoming, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            return edge.is_self && std::ranges::any_of(edge.accesses, [&](const Access &read) {
                       return std::ranges::any_of(stage.stores, [&](const Access &stored) {
                           for (size_t d = 0; d < stored.index.size(); d++)
                               if (goes_on(read.index[d], stored.index[d], loop)) return true;
                           return false;
                       });
                   });
        });
    };
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (stage.loops[l].is_reduction && !stage.loops[l].in_predicate && goes_on_along(l))
            return l;
    return std::nullopt;
}

}  // namespace cryolite
