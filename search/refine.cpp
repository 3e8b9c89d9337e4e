#include "search/refine.h"

#include <algorithm>

#include "code/kernel/kernels.h"
#include "code/legality/apply.h"
#include "schedule/func_nest.h"
#include "search/placements.h"
#include "search/tilings.h"

namespace cryolite {
namespace {

bool apply_all(LoopNest &nest, const std::vector<Action> &actions) {
    return std::ranges::all_of(actions, [&](const Action &a) { return try_apply(nest, a); });
}

}  // namespace

std::vector<FuncId> Refinement::read_within_its_kernels(FuncId f) const {
    std::vector<FuncId> read;
    for (FuncId root : roots_of(complete_, f))
        for (FuncId g : computed_inside(complete_, root))
            if (complete_.graph().reads(f, g)) read.push_back(g);
    return read;
}

Refinement::Start Refinement::start(FuncId f, std::vector<FuncId> dependents) const {
    std::ranges::sort(dependents);  // readers come first
    LoopNest nest = complete_.without(f);
    auto decisions = std::make_shared<std::vector<Decision>>();
    for (FuncId g : dependents) {
        nest = nest.without(g);
        decisions->push_back(decision_of(complete_, g));
    }
    return {std::move(nest), std::move(decisions)};
}

std::vector<Change> Refinement::changes(size_t func, Random random) const {
    const FuncId f(func);
    const Decision now = decision_of(complete_, f);
    const auto count = static_cast<size_t>(tilings_per_placement_);
    const bool moves = redraw_ == Redraw::PlacesAndLoops;
    // What is computed inside depends on the loops.
    const Start in_place = start(f, computed_inside(complete_, f));
    const std::optional<Start> elsewhere =
        moves ? std::optional(start(f, read_within_its_kernels(f))) : std::nullopt;
    std::vector<Change> out;
    for (const PlacementActions &place :
         moves ? placements(elsewhere->nest, f, false) : std::vector<PlacementActions>{now.where}) {
        const bool stays = place == now.where;
        const Start &from = stays ? in_place : *elsewhere;
        LoopNest made = from.nest;
        if (!apply_all(made, place)) continue;
        const auto placed = std::make_shared<const LoopNest>(std::move(made));
        if (placed->at(f).placement == Placement::Inline) {
            if (moves) out.push_back({placed, {}, from.dependents});
            continue;
        }
        // The present place gets more tries than the others.
        const TilingLimits limits{stays ? 6 * count : count / 3 + 1, false};
        for (std::vector<Action> &loops : tilings(*placed, f, hardware_, limits, random))
            out.push_back({placed, std::move(loops), from.dependents});
    }
    return out;
}

std::optional<LoopNest> Refinement::with(const Change &change) const {
    LoopNest nest = *change.placed;
    for (const Action &a : change.loops) try_apply(nest, a);
    for (const Decision &d : *change.dependents)
        if (!repeat_decision(nest, d)) return std::nullopt;
    return nest;
}

}  // namespace cryolite
