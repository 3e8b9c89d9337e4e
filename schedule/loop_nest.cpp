#include "schedule/loop_nest.h"

#include <algorithm>

#include "base/hash.h"

namespace cryolite {

namespace {

// Added up over the Funcs, so that the sum does not depend on the order of decisions and one change
// costs two additions.
uint64_t contribution(const FuncNest &nest) {
    return mix_bits(nest.hash ^ mix_bits(static_cast<uint64_t>(nest.func.value)));
}

}  // namespace

const char *name(Reason reason) {
    switch (reason) {
        case Reason::AlreadyDecided: return "already_decided";
        case Reason::ConsumerUndecided: return "consumer_undecided";
        case Reason::NotInlinable: return "not_inlinable";
        case Reason::RootOnly: return "root_only";
        case Reason::LockedByUser: return "locked_by_user";
        case Reason::EnclosedByUser: return "enclosed_by_user";
        case Reason::NoSuchLoop: return "no_such_loop";
        case Reason::OutsideConsumers: return "outside_consumers";
        case Reason::InsideVectorOrUnroll: return "inside_vector_or_unroll";
        case Reason::PredicateLost: return "predicate_lost";
        case Reason::GuardLostInFusion: return "guard_lost_in_fusion";
        case Reason::OverreachesClampedLoop: return "overreaches_clamped_loop";
        case Reason::StoreInsideCompute: return "store_inside_compute";
        case Reason::ParallelBetween: return "parallel_between";
        case Reason::LoopsBetween: return "loops_between";
        case Reason::BesideWindow: return "beside_window";
        case Reason::WindowOnUnevenLoop: return "window_on_uneven_loop";
        case Reason::WindowOvershoots: return "window_overshoots";
        case Reason::FeedsClampedWindow: return "feeds_clamped_window";
        case Reason::NoWindow: return "no_window";
        case Reason::StorageKept: return "storage_kept";
        case Reason::NotPlaced: return "not_placed";
        case Reason::LoopsInUse: return "loops_in_use";
        case Reason::BadTile: return "bad_tile";
        case Reason::NotReorderable: return "not_reorderable";
        case Reason::NotAPermutation: return "not_a_permutation";
        case Reason::NotVectorizable: return "not_vectorizable";
        case Reason::NotConstant: return "not_constant";
        case Reason::NotParallelizable: return "not_parallelizable";
        case Reason::NotMappable: return "not_mappable";
        case Reason::BetweenMapped: return "between_mapped";
        case Reason::InsideKernel: return "inside_kernel";
        case Reason::EmptyOnDevice: return "empty_on_device";
        case Reason::UnboundedInKernel: return "unbounded_in_kernel";
        case Reason::UnpaddedInKernel: return "unpadded_in_kernel";
        case Reason::OverwrittenInKernel: return "overwritten_in_kernel";
        case Reason::Count: break;
    }
    return "unknown";
}

LoopNest::LoopNest(const StageGraph &graph) : graph_(&graph), funcs_(graph.funcs().size()) {}

LoopNest LoopNest::with(std::shared_ptr<const FuncNest> nest) const {
    LoopNest changed(*this);
    Slot slot = funcs_[nest->func.index()];
    const bool moves = !slot.nest || slot.nest->compute_at != nest->compute_at;
    if (slot.nest) {
        changed.hash_ -= contribution(*slot.nest);
        if (moves) changed.remove_guest(*slot.nest);
    } else {
        changed.num_decided_++;
    }
    changed.hash_ += contribution(*nest);
    if (moves) changed.add_guest(*nest);
    const size_t at = nest->func.index();
    slot.nest = std::move(nest);
    changed.funcs_.set(at, std::move(slot));
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
}

void LoopNest::remove_guest(const FuncNest &nest) {
    if (!nest.compute_at) return;
    const size_t owner = graph_->stage(nest.compute_at->stage).func.index();
    Slot slot = funcs_[owner];
    auto guests = *slot.guests;
    std::erase(guests, nest.func);
    slot.guests =
        guests.empty() ? nullptr : std::make_shared<const std::vector<FuncId>>(std::move(guests));
    funcs_.set(owner, std::move(slot));
}

const StageNest &LoopNest::stage_nest(StageId s) const {
    const Stage &stage = graph_->stage(s);
    return at(stage.func).stages[static_cast<size_t>(stage.index)];
}

const std::vector<int> &LoopNest::storage_order(FuncId f) const {
    const Func &func = graph_->func(f);
    const bool is_reordered = !func.is_input() && decided(f) && !at(f).storage_order.empty();
    return is_reordered ? at(f).storage_order : func.storage_order;
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
