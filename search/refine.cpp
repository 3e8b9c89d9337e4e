#include "search/refine.h"

#include "search/placements.h"
#include "search/tilings.h"

namespace cryolite {
namespace {

bool is_placement(const Action &a) {
    return std::holds_alternative<action::Inline>(a) ||
           std::holds_alternative<action::ComputeRoot>(a) ||
           std::holds_alternative<action::ComputeAt>(a) ||
           std::holds_alternative<action::StoreAt>(a) ||
           std::holds_alternative<action::ReorderStorage>(a);
}

bool begins_func(const Action &a) {
    return is_placement(a) && !std::holds_alternative<action::StoreAt>(a) &&
           !std::holds_alternative<action::ReorderStorage>(a);
}

FuncId func_of(const Action &placement) {
    if (const auto *a = std::get_if<action::Inline>(&placement)) return a->func;
    if (const auto *a = std::get_if<action::ComputeRoot>(&placement)) return a->func;
    return std::get<action::ComputeAt>(placement).func;
}

bool apply_all(LoopNest &nest, const std::vector<Action> &actions, bool all_must_go) {
    for (const Action &a : actions) {
        auto next = cryolite::apply(nest, a);
        if (next.ok())
            nest = std::move(*next);
        else if (all_must_go)
            return false;
    }
    return true;
}

}  // namespace

Refinement::Refinement(const LoopNest &complete, const Machine &machine,
                       int64_t tilings_per_placement, Redraw redraw)
    : complete_(complete),
      graph_(&complete.graph()),
      machine_(&machine),
      tilings_per_placement_(tilings_per_placement),
      redraw_(redraw) {
    for (const Action &a : trace_of(complete)) {
        if (begins_func(a)) decisions_.push_back({func_of(a), {}, {}});
        (is_placement(a) ? decisions_.back().where : decisions_.back().how).push_back(a);
    }
    if (redraw == Redraw::LoopsOnly) return;
    LoopNest nest(*graph_);
    for (const Decision &d : decisions_) {
        before_.push_back(nest);
        apply_all(nest, d.where, false);
        apply_all(nest, d.how, false);
    }
}

std::vector<size_t> Refinement::computed_inside(FuncId f) const {
    std::vector<char> inside(graph_->funcs().size());
    inside[f.index()] = true;
    std::vector<size_t> found;
    // Readers are decided before what they read.
    for (size_t i = 0; i < decisions_.size(); i++) {
        const FuncId g = decisions_[i].func;
        const std::optional<LoopName> &site = complete_.at(g).compute_at;
        if (!site || !inside[graph_->stage(site->stage).func.index()]) continue;
        inside[g.index()] = true;
        found.push_back(i);
    }
    return found;
}

LoopNest Refinement::emptied(size_t func) const {
    LoopNest nest = complete_.without(decisions_[func].func);
    for (size_t i : computed_inside(decisions_[func].func)) nest = nest.without(decisions_[i].func);
    return nest;
}

std::vector<Change> Refinement::changes(size_t func, Random random) const {
    const Decision &decision = decisions_[func];
    const auto count = static_cast<size_t>(tilings_per_placement_);
    const bool moves = redraw_ == Redraw::PlacesAndLoops;
    const LoopNest before = moves ? before_[func] : emptied(func);
    std::vector<Change> out;
    for (const PlacementActions &place : moves ? placements(before, decision.func, false)
                                               : std::vector<PlacementActions>{decision.where}) {
        LoopNest placed = before;
        if (!apply_all(placed, place, true)) continue;
        if (placed.at(decision.func).placement == Placement::Inline) {
            if (moves) out.push_back({place, func, true});
            continue;
        }
        // Where it is now, more is tried than elsewhere.
        const TilingLimits limits{place == decision.where ? 6 * count : count / 3 + 1, false};
        for (const std::vector<Action> &shape :
             tilings(placed, decision.func, *machine_, limits, random)) {
            Change c{place, func, moves};
            c.actions.insert(c.actions.end(), shape.begin(), shape.end());
            out.push_back(std::move(c));
        }
    }
    return out;
}

std::optional<LoopNest> Refinement::with(const Change &change) const {
    std::vector<size_t> again;
    if (change.moves)
        for (size_t i = change.func + 1; i < decisions_.size(); i++) again.push_back(i);
    else
        again = computed_inside(decisions_[change.func].func);
    LoopNest nest = change.moves ? before_[change.func] : emptied(change.func);
    apply_all(nest, change.actions, false);
    if (!nest.decided(decisions_[change.func].func)) return std::nullopt;
    for (size_t i : again) {
        if (!apply_all(nest, decisions_[i].where, true)) return std::nullopt;
        // A shape of which a part is refused is still a legal one.
        apply_all(nest, decisions_[i].how, false);
    }
    return nest;
}

}  // namespace cryolite
