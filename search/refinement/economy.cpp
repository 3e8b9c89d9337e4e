#include "search/refinement/economy.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "search/refinement/refine.h"

namespace cryolite {
namespace {

// What may be given up, as a share of what simplest() gives up for the same compile time. What is predicted of small
// Funcs is off by factors: with the whole share a pyramid of twelve levels was predicted to run 2 % longer and ran 7 %
// longer, with a tenth of it no longer.
constexpr double price = 0.1;
constexpr double most_in_all = 1 + (as_good - 1) / 4;

bool is_worth_it(const BeamState &simpler, const BeamState &state) {
    BeamState dearer = simpler;
    dearer.seconds = state.seconds + (simpler.seconds - state.seconds) / price;
    return simpler.compile_seconds < state.compile_seconds && !is_worth_compiling(state, dearer);
}

// The state in which the Func is simpler and compiles fastest, of those that are worth it.
std::optional<BeamState> with_simpler(SearchContext &search, const BeamState &state,
                                      const std::shared_ptr<const CostedNest> &near, FuncId f,
                                      double limit_seconds) {
    const Refinement refinement(state.nest, search.hardware, search.twins, search.effort.tilings,
                                search.effort.redraw);
    const std::vector<Change> changes = refinement.simpler(f);
    std::vector<std::optional<BeamState>> tried(changes.size());
    search.workers.in_parallel(changes.size(), [&](Expander &worker, size_t i) {
        std::optional<LoopNest> nest = refinement.with(changes[i]);
        if (nest) tried[i] = worker.evaluated(std::move(*nest), near);
    });
    std::optional<BeamState> simplest;
    for (std::optional<BeamState> &t : tried)
        if (t && t->seconds <= limit_seconds && is_worth_it(*t, state) &&
            (!simplest || t->compile_seconds < simplest->compile_seconds))
            simplest = std::move(t);
    return simplest;
}

}  // namespace

BeamState economised(SearchContext &search, BeamState state, double limit_seconds,
                     const Deadline &end) {
    if (search.hardware.gpu) return state;
    const double limit =
        std::min(most_in_all * state.seconds, std::max(state.seconds, limit_seconds));
    auto near = search.workers.first().model().costed(state.nest, state.parent.get());
    for (size_t i = 0; i < search.order.size() && !search.passed(end); i++) {
        auto simpler = with_simpler(search, state, near, search.order[i], limit);
        if (!simpler) continue;
        state = std::move(*simpler);
        near = search.workers.first().model().costed(state.nest, near.get());
    }
    return state;
}

}  // namespace cryolite
