#include "search/beam/candidates.h"

#include <algorithm>

#include "base/hash.h"

namespace cryolite {
namespace {

void add(Hasher &h, const std::optional<LoopName> &loop) {
    h.add(loop.has_value());
    if (!loop) return;
    h.add(static_cast<uint64_t>(loop->stage.value)).add(static_cast<uint64_t>(loop->dim));
    h.add(static_cast<uint64_t>(loop->level));
}

}  // namespace

uint64_t whole_structure(const LoopNest &complete) {
    Hasher h;
    for (size_t i = 0; i < complete.graph().num_scheduled(); i++) {
        const FuncNest &f = complete.at(FuncId(i));
        h.add(static_cast<uint64_t>(f.placement));
        if (f.placement == Placement::Inline) continue;
        add(h, f.compute_at);
        add(h, f.store_at);
        for (const StageNest &s : f.stages) {
            h.add(s.loops.size());
            for (const LoopLevel &l : s.loops)
                h.add(static_cast<uint64_t>(l.name.dim)).add(static_cast<uint64_t>(l.kind));
        }
    }
    return h.value();
}

uint64_t coarse_structure(const LoopNest &complete) {
    Hasher h;
    const auto add_place = [&](const std::optional<LoopName> &loop) {
        h.add(loop.has_value());
        if (loop)
            h.add(static_cast<uint64_t>(loop->stage.value)).add(static_cast<uint64_t>(loop->dim));
    };
    for (size_t i = 0; i < complete.graph().num_scheduled(); i++) {
        const FuncNest &f = complete.at(FuncId(i));
        h.add(static_cast<uint64_t>(f.placement));
        if (f.placement == Placement::Inline) continue;
        add_place(f.compute_at);
        add_place(f.store_at);
        for (const StageNest &s : f.stages)
            for (const LoopLevel &l : s.loops)
                if (l.kind == LoopKind::Vectorized) h.add(static_cast<uint64_t>(l.name.dim));
    }
    return h.value();
}

void Candidates::add(const BeamState &complete) {
    if (wanted_ <= 1) return;
    const auto [known, fresh] = cheapest_.try_emplace(whole_structure(complete.nest), complete);
    if (!fresh && complete < known->second) known->second = complete;
    known->second.parent = nullptr;  // its costs are of no more use, and large
    if (cheapest_.size() > 8 * wanted_) drop_dearest();
}

// The half that nobody will ask for.
void Candidates::drop_dearest() {
    std::vector<double> seconds;
    for (const auto &[structure, state] : cheapest_) seconds.push_back(state.seconds);
    const auto last = seconds.begin() + static_cast<std::ptrdiff_t>(4 * wanted_);
    std::ranges::nth_element(seconds, last);
    std::erase_if(cheapest_, [&](const auto &known) { return known.second.seconds > *last; });
}

std::vector<LoopNest> Candidates::beside(const LoopNest &best) const {
    std::vector<const BeamState *> by_cost;
    const uint64_t taken = whole_structure(best);
    for (const auto &[structure, state] : cheapest_)
        if (structure != taken) by_cost.push_back(&state);
    std::ranges::sort(by_cost, [](const BeamState *a, const BeamState *b) {
        if (*a < *b || *b < *a) return *a < *b;
        return a->nest.hash() < b->nest.hash();
    });
    std::vector<LoopNest> out;
    for (size_t i = 0; i < by_cost.size() && i + 1 < wanted_; i++) out.push_back(by_cost[i]->nest);
    return out;
}

}  // namespace cryolite
