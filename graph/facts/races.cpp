#include "graph/facts/races.h"

#include <algorithm>

#include "graph/facts/iteration_distance.h"

namespace cryolite {
namespace {

// Whether the sum of loops is never zero where all conditions hold.
bool is_never_zero(const std::vector<double> &coefficient, double constant,
                   std::span<const LoopCondition> conditions) {
    const auto is = [&](const LoopCondition &c, int64_t sign) {
        for (size_t l = 0; l < coefficient.size(); l++)
            if (coefficient[l] != static_cast<double>(sign * c.coefficient[l])) return false;
        return true;
    };
    return std::ranges::any_of(conditions, [&](const LoopCondition &c) {
        const auto least = static_cast<double>(c.least);
        return (is(c, 1) && least + constant > 0) || (is(c, -1) && least - constant > 0);
    });
}

// Whether the predicate keeps an iteration that does `a` from the points where any iteration does `b`: those are the
// same for all iterations, since only loops that stand still choose them.
bool is_kept_from(const Access &a, const Access &b, const LoopDistances &still,
                  std::span<const LoopCondition> conditions) {
    for (size_t d = 0; d < a.index.size(); d++) {
        const IndexMap &of_a = a.index[d], &of_b = b.index[d];
        if (!holds_at_all_sizes(of_a) || !holds_at_all_sizes(of_b)) continue;
        std::vector<double> difference(still.size());
        bool stands_still = true;
        for (size_t l = 0; l < still.size(); l++) {
            stands_still &= of_b.coefficient[l].is_zero() || still[l].has_value();
            difference[l] = of_a.coefficient[l].value() - of_b.coefficient[l].value();
        }
        if (stands_still &&
            is_never_zero(difference, of_a.offset.value() - of_b.offset.value(), conditions))
            return true;
    }
    return false;
}

}  // namespace

bool is_race_free_in_order(const Stage &stage, std::span<const Edge> edges, size_t loop) {
    LoopDistances still(stage.loops.size());
    for (size_t l = loop + 1; l < stage.loops.size(); l++)
        if (stage.loops[l].is_reduction) still[l] = 0;
    const auto are_apart = [&](const Access &a, const Access &b) {
        const IterationDistance d = iteration_distance(a, b, still, Trust::AllSizes);
        return d.never || d.loops[loop] == 0 || is_kept_from(a, b, still, stage.conditions) ||
               is_kept_from(b, a, still, stage.conditions);
    };
    const auto is_apart_from_stores = [&](const Access &a) {
        return std::ranges::all_of(stage.stores,
                                   [&](const Access &stored) { return are_apart(stored, a); });
    };
    return std::ranges::all_of(stage.stores, is_apart_from_stores) &&
           std::ranges::all_of(stage.incoming, [&](EdgeId e) {
               const Edge &edge = edges[e.index()];
               return !edge.is_self || std::ranges::all_of(edge.accesses, is_apart_from_stores);
           });
}

int dim_walked_by(const Stage &stage, size_t loop) {
    if (stage.stores.empty()) return -1;
    const std::vector<IndexMap> &index = stage.stores[0].index;
    for (size_t d = 0; d < index.size(); d++)
        if (index[d].affine && !index[d].coefficient[loop].is_zero()) return static_cast<int>(d);
    return -1;
}

}  // namespace cryolite
