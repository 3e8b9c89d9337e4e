#include "graph/facts/recurrences.h"

#include <algorithm>

namespace cryolite {
namespace {

// How many steps of the loop earlier the value that is read was stored. Nothing: at no fixed distance, or later.
std::optional<double> steps_between(const Access &read, const Access &stored, size_t loop) {
    for (size_t d = 0; d < stored.index.size(); d++) {
        const IndexMap &from = read.index[d], &to = stored.index[d];
        if (!from.affine || !to.affine || to.coefficient[loop].is_zero() ||
            from.coefficient[loop] != to.coefficient[loop])
            continue;
        const double steps =
            (to.offset.value() - from.offset.value()) / to.coefficient[loop].value();
        if (steps > 0) return steps;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Recurrence> find_recurrence(const Stage &stage, std::span<const Edge> edges) {
    for (size_t l = 0; l < stage.loops.size(); l++) {
        if (!stage.loops[l].is_reduction) continue;
        std::optional<double> nearest;
        for (const EdgeId e : stage.incoming) {
            const Edge &edge = edges[e.index()];
            if (!edge.is_self) continue;
            for (const Access &read : edge.accesses)
                for (const Access &stored : stage.stores)
                    if (const auto steps = steps_between(read, stored, l))
                        nearest = std::min(nearest.value_or(*steps), *steps);
        }
        if (nearest) return Recurrence{l, *nearest};
    }
    return std::nullopt;
}

}  // namespace cryolite
