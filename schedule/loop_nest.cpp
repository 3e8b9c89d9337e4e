#include "schedule/loop_nest.h"

#include <algorithm>

#include "base/hash.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

// The hash of a LoopNest is the sum of these over its Funcs: it does not depend on the order of decisions, and
// one change costs two additions.
uint64_t contribution(const FuncNest &nest) {
    return mix_bits(nest.hash ^ mix_bits(static_cast<uint64_t>(nest.func.value)));
}

}  // namespace

LoopNest::LoopNest(const StageGraph &graph) : graph_(&graph), funcs_(graph.funcs().size()) {}

void LoopNest::set(std::shared_ptr<const FuncNest> nest) {
    const size_t at = nest->func.index();
    Slot slot = funcs_[at];
    const bool moves = !slot.nest || slot.nest->compute_at != nest->compute_at;
    if (slot.nest) {
        hash_ -= contribution(*slot.nest);
        if (moves) remove_guest(*slot.nest);
    } else {
        num_decided_++;
    }
    hash_ += contribution(*nest);
    if (moves) add_guest(*nest);
    slot.nest = std::move(nest);
    funcs_.set(at, std::move(slot));
}

LoopNest LoopNest::with(std::shared_ptr<const FuncNest> nest) const {
    LoopNest changed(*this);
    changed.set(std::move(nest));
    return changed;
}

LoopNest LoopNest::without(FuncId f) const {
    LoopNest changed(*this);
    Slot slot = funcs_[f.index()];
    if (!slot.nest) return changed;
    changed.hash_ -= contribution(*slot.nest);
    changed.num_decided_--;
    changed.remove_guest(*slot.nest);
    slot.nest = nullptr;
    changed.funcs_.set(f.index(), std::move(slot));
    return changed;
}

void LoopNest::add_guest(const FuncNest &nest) {
    if (!nest.compute_at) return;
    const size_t owner = graph_->stage(nest.compute_at->stage).func.index();
    Slot slot = funcs_[owner];
    auto guests = slot.guests ? *slot.guests : std::vector<FuncId>();
    guests.insert(std::ranges::lower_bound(guests, nest.func), nest.func);
    slot.guests = std::make_shared<const std::vector<FuncId>>(std::move(guests));
    funcs_.set(owner, std::move(slot));
    if (nest.is_companion) mark_company(owner, true);
}

void LoopNest::remove_guest(const FuncNest &nest) {
    if (!nest.compute_at) return;
    const size_t owner = graph_->stage(nest.compute_at->stage).func.index();
    Slot slot = funcs_[owner];
    auto guests = *slot.guests;
    std::erase(guests, nest.func);
    slot.guests =
        guests.empty() ? nullptr : std::make_shared<const std::vector<FuncId>>(std::move(guests));
    const auto is_companion = [&](FuncId f) { return at(f).is_companion; };
    const bool has_others = slot.guests && std::ranges::any_of(*slot.guests, is_companion);
    funcs_.set(owner, std::move(slot));
    if (nest.is_companion) mark_company(owner, has_others);
}

void LoopNest::mark_company(size_t leader, bool has_company) {
    Slot slot = funcs_[leader];
    if (!slot.nest || slot.nest->stages.front().has_company == has_company) return;
    FuncNest changed = *slot.nest;
    changed.stages.front().has_company = has_company;
    changed.hash = hash_of(changed);
    hash_ += contribution(changed) - contribution(*slot.nest);
    slot.nest = std::make_shared<const FuncNest>(std::move(changed));
    funcs_.set(leader, std::move(slot));
}

const StageNest &LoopNest::stage_nest(StageId s) const {
    const Stage &stage = graph_->stage(s);
    return at(stage.func).stages[static_cast<size_t>(stage.index)];
}

const std::vector<int> &LoopNest::storage_order(FuncId f) const {
    const Func &func = graph_->func(f);
    if (func.is_input() || !decided(f)) return func.storage_order;
    const FuncNest &placed = at(f);
    if (!placed.address_order.empty()) return placed.address_order;
    return placed.storage_order.empty() ? func.storage_order : placed.storage_order;
}

int LoopNest::position(LoopName loop) const {
    if (!loop.stage.valid() || loop.stage.index() >= graph_->stages().size()) return -1;
    const Stage &stage = graph_->stage(loop.stage);
    if (!decided(stage.func)) return -1;
    const FuncNest &func = at(stage.func);
    if (static_cast<size_t>(stage.index) >= func.stages.size()) return -1;
    const LoopLevels &loops = func.stages[static_cast<size_t>(stage.index)].loops;
    for (size_t i = 0; i < loops.size(); i++) {
        if (loops[i].name == loop) return static_cast<int>(i);
    }
    return -1;
}

std::vector<LoopName> LoopNest::enclosing(LoopName loop) const {
    std::vector<LoopName> reversed;
    std::optional<LoopName> site = loop;
    while (site) {
        const StageNest &nest = stage_nest(site->stage);
        for (int i = position(*site); i >= 0; i--) {
            reversed.push_back(nest.loops[static_cast<size_t>(i)].name);
        }
        site = at(graph_->stage(site->stage).func).compute_at;
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

}  // namespace cryolite
