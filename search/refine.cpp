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

std::shared_ptr<const Change::Start> Refinement::start(FuncId f,
                                                       std::vector<FuncId> dependents) const {
    std::ranges::sort(dependents);  // readers come first
    auto start = std::make_shared<Change::Start>(Change::Start{complete_.without(f), {}});
    for (FuncId g : dependents) {
        start->nest = start->nest.without(g);
        start->dependents.push_back(decision_of(complete_, g));
    }
    return start;
}

std::vector<Change> Refinement::changes(size_t func, Random random) const {
    const FuncId f(func);
    const Decision now = decision_of(complete_, f);
    const auto count = static_cast<size_t>(tilings_per_placement_);
    const bool moves = redraw_ == Redraw::PlacesAndLoops;
    // What is computed inside depends on the loops.
    const auto in_place = start(f, computed_inside(complete_, f));
    const auto elsewhere = moves ? start(f, read_within_its_kernels(f)) : nullptr;
    std::vector<Change> out;
    for (const PlacementActions &place :
         moves ? placements(elsewhere->nest, f, false) : std::vector<PlacementActions>{now.where}) {
        const bool stays = place == now.where;
        const auto &from = stays ? in_place : elsewhere;
        LoopNest placed = from->nest;
        if (!apply_all(placed, place)) continue;
        if (placed.at(f).placement == Placement::Inline) {
            if (moves) out.push_back({f, place, from});
            continue;
        }
        // The present place gets more tries than the others.
        const TilingLimits limits{stays ? 6 * count : count / 3 + 1, false};
        for (const std::vector<Action> &shape : tilings(placed, f, hardware_, limits, random)) {
            Change c{f, place, from};
            c.actions.insert(c.actions.end(), shape.begin(), shape.end());
            out.push_back(std::move(c));
        }
    }
    return out;
}

std::optional<LoopNest> Refinement::with(const Change &change) const {
    LoopNest nest = change.start->nest;
    for (const Action &a : change.actions) try_apply(nest, a);
    if (!nest.decided(change.func)) return std::nullopt;
    for (const Decision &d : change.start->dependents)
        if (!repeat_decision(nest, d)) return std::nullopt;
    return nest;
}

}  // namespace cryolite
