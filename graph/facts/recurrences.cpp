#include "graph/facts/recurrences.h"

#include <algorithm>

#include "graph/facts/iteration_distance.h"

namespace cryolite {
namespace {

// The loop along which a value is stored before it is read: the outermost one that moves between both. Nothing: it is
// read before, or not at a fixed distance.
std::optional<Recurrence> carried_along(const Stage &stage, const Access &stored,
                                        const Access &read) {
    LoopDistances distances =
        iteration_distance(stored, read, LoopDistances(stage.loops.size()), Trust::Estimates).loops;
    for (size_t l = stage.loops.size(); l-- > 0;) {
        const double steps = distances[l].value_or(0);
        if (steps == 0) continue;
        if (steps < 0 || !stage.loops[l].is_reduction) return std::nullopt;
        return Recurrence{l, steps};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Recurrence> find_recurrence(const Stage &stage, std::span<const Edge> edges) {
    std::optional<Recurrence> nearest;
    for (const EdgeId e : stage.incoming) {
        const Edge &edge = edges[e.index()];
        if (!edge.is_self) continue;
        for (const Access &read : edge.accesses)
            for (const Access &stored : stage.stores) {
                const std::optional<Recurrence> found = carried_along(stage, stored, read);
                if (found && (!nearest || found->loop < nearest->loop ||
                              (found->loop == nearest->loop && found->steps < nearest->steps)))
                    nearest = found;
            }
    }
    return nearest;
}

}  // namespace cryolite
