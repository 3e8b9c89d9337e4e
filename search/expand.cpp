#include "search/expand.h"

#include <cmath>

#include "base/random.h"
#include "search/placements.h"
#include "search/tilings.h"

namespace cryolite {

bool Expander::try_action(LoopNest &nest, const Action &action) {
    auto next = cryolite::apply(nest, action);
    if (!next.ok()) {
        statistics_.rejected[static_cast<size_t>(next.error())]++;
        return false;
    }
    nest = std::move(*next);
    return true;
}

std::optional<BeamState> Expander::evaluated(LoopNest nest,
                                             std::shared_ptr<const CostedNest> near) {
    statistics_.states_generated++;
    statistics_.states_evaluated++;
    const ScheduleTime time = model_.evaluate(nest, *near);
    if (time.too_large || !std::isfinite(time.seconds)) {
        statistics_.states_too_large++;
        return std::nullopt;
    }
    return BeamState{std::move(nest), time.seconds, std::move(near)};
}

void Expander::keep(LoopNest nest, const std::shared_ptr<const CostedNest> &parent,
                    std::vector<BeamState> &children) {
    if (auto state = evaluated(std::move(nest), parent)) children.push_back(std::move(*state));
}

void Expander::expand(const BeamState &state, FuncId func, int64_t pass,
                      int64_t tilings_per_placement, const Deadline &deadline,
                      std::vector<BeamState> &children) {
    if (deadline.passed()) return;
    const std::shared_ptr<const CostedNest> parent = model_.costed(state.nest, state.parent.get());
    for (const PlacementActions &placement : placements(state.nest, func, options_.exhaustive)) {
        if (deadline.passed()) return;
        LoopNest placed = state.nest;
        bool accepted = true;
        for (const Action &a : placement) accepted = accepted && try_action(placed, a);
        if (!accepted) continue;
        if (placed.at(func).placement == Placement::Inline) {
            keep(std::move(placed), parent, children);
            continue;
        }
        const bool at_root = placed.at(func).placement == Placement::Root;
        // What is at root costs the same in every state: a larger choice is paid for once.
        TilingLimits limits{static_cast<size_t>(tilings_per_placement) * (at_root ? 4 : 1),
                            options_.exhaustive};
        // The draw depends on the Func and the pass only, so that states share what they try.
        const Random random = Random(static_cast<uint64_t>(options_.seed))
                                  .fork("tilings", static_cast<uint64_t>(pass))
                                  .fork("func", static_cast<uint64_t>(func.value));
        for (const std::vector<Action> &shape : tilings(placed, func, machine_, limits, random)) {
            if (deadline.passed()) return;
            LoopNest child = placed;
            // A shape of which a part is refused is still a legal state, if a poorer one.
            for (const Action &a : shape) try_action(child, a);
            keep(std::move(child), parent, children);
        }
    }
}

}  // namespace cryolite
