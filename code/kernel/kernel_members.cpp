#include "code/kernel/kernel_members.h"

#include <algorithm>

#include "code/kernel/window_folding.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

int64_t next_power_of_two(int64_t v) {
    int64_t p = 1;
    while (p < v) p *= 2;
    return p;
}

// Bytes stored at once: the store region, folded along the sliding dimension if `folded`.
double allocation(const Func &func, const FuncNest &nest, bool folded) {
    Box box = nest.placement == Placement::At ? nest.store_region : func.root_region;
    if (folded) {
        Interval &i = box[static_cast<size_t>(nest.slide_dim)];
        const int64_t window = nest.compute_region[static_cast<size_t>(nest.slide_dim)].extent();
        i.max = i.min + std::min(i.extent(), next_power_of_two(window)) - 1;
    }
    return box_bytes(func, box);
}

// Sets LoopEnds::share and growth from the boxes.
void count_growth(Member &m) {
    const Box &middle = m.chain_boxes.back();
    m.ends.share = 1;
    for (size_t d = 0; d < middle.size(); d++) {
        double more = 0;
        for (const Box &end : m.ends.boxes)
            more += static_cast<double>(end[d].extent()) /
                        static_cast<double>(std::max<int64_t>(1, middle[d].extent())) -
                    1;
        if (more <= 0) continue;
        // The share of the iterations that stand at one end of all loops that move the region along d.
        double at_end = 1;
        for (size_t p = 0; p < m.chain.size(); p++)
            if (m.chain_boxes[p][d].extent() > m.chain_boxes[p + 1][d].extent())
                at_end /= std::max(1.0, m.chain[p].extent);
        m.ends.growth *= 1 + more * at_end;
        m.ends.share *= at_end;
    }
}

}  // namespace

double box_bytes(const Func &func, const Box &box) { return points(box) * func.bytes_per_point(); }

size_t filling_loop(const Stage &stage, const FuncNest &func, const StageNest &nest) {
    if (func.slide_dim >= 0)
        for (size_t l = 0; l < nest.loops.size(); l++)
            if (stage.loops[static_cast<size_t>(nest.loops[l].name.dim)].func_dim == func.slide_dim)
                return l;
    return 0;
}

KernelMembers::KernelMembers(const StageGraph &graph, StageExpander &expander, const LoopNest &nest,
                             std::span<const FuncId> members)
    : graph_(graph), expander_(expander), nest_(nest) {
    members_.reserve(members.size());
    for (FuncId f : members) add_member(f);
    regions_.clear();
    at_ends_.clear();
    for (const FoldedWindow &w : folded_windows(graph, expander, nest, members_)) {
        members_[w.func].shared = w.shared;
        members_[w.func].folded = w.folded;
    }
    for (auto &[f, m] : members_) {
        m.allocated_bytes = allocation(graph_.func(f), *m.nest, m.folded);
        num_stages_ += m.nest->stages.size();
    }
}

int KernelMembers::loop_id(LoopName name) const {
    const Member &m = members_.at(graph_.stage(name.stage).func);
    int id = m.first_loop + nest_.position(name);
    for (const StageNest &s : m.nest->stages) {
        if (s.stage == name.stage) break;
        id += static_cast<int>(s.loops.size());
    }
    return id;
}

IterationRegions &KernelMembers::regions_in(int id, LoopName loop) {
    const auto at = static_cast<size_t>(id);
    if (regions_.size() <= at) regions_.resize(num_loops_);
    if (!regions_[at]) regions_[at] = std::make_unique<IterationRegions>(nest_, loop);
    return *regions_[at];
}

void KernelMembers::add_member(FuncId f) {
    Member &m = members_[f];
    m.nest = &nest_.at(f);
    m.first_loop = static_cast<int>(num_loops_);
    for (const StageNest &s : m.nest->stages) num_loops_ += s.loops.size();
    const Func &func = graph_.func(f);
    if (m.nest->placement == Placement::At)
        add_chain(m, func);
    else
        m.chain_boxes.push_back(func.root_region);
}

void KernelMembers::add_chain(Member &m, const Func &func) {
    const LoopName site = *m.nest->compute_at;
    if (m.nest->store_at) m.store_loop = loop_id(*m.nest->store_at);
    // The chain: the loops around the owner of the site, then the owner's loops down to the site.
    const Member &owner = members_.at(graph_.stage(site.stage).func);
    const StageNest &loops = nest_.stage_nest(site.stage);
    const size_t filling = filling_loop(graph_.stage(site.stage), *owner.nest, loops);
    const auto position = static_cast<size_t>(nest_.position(site));
    m.compute_loop = loop_id(site);
    const int outermost = m.compute_loop - static_cast<int>(position);
    m.chain = owner.chain;
    for (size_t l = 0; l <= position; l++)
        // Iterations count as whole: the Func's box does not shrink in the last one.
        m.chain.push_back({outermost + static_cast<int>(l),
                           static_cast<double>(loops.loops[l].extent), loops.loops[l].kind,
                           l == filling ? owner.fill : 1});
    // If the owner's filling loop lies inside the site, one iteration of the site needs more.
    if (position < filling) m.fill = owner.fill;

    m.storage_depth = m.chain.size();
    for (size_t p = 0; p < m.chain.size(); p++)
        if (m.chain[p].id == m.store_loop) m.storage_depth = p + 1;
    const std::vector<LoopName> around = nest_.enclosing(site);
    m.chain_boxes.reserve(around.size() + 1);
    m.chain_boxes.push_back(func.root_region);
    for (size_t i = 0; i + 1 < around.size(); i++)
        m.chain_boxes.push_back(regions_in(m.chain[i].id, around[i]).of(func.id));
    m.chain_boxes.push_back(m.nest->compute_region);
    add_fill(m, func);
    m.fill *= m.own_fill;
    if (graph_.regions_grow_at_ends()) {
        add_ends(m, func);
        m.fill *= m.ends.growth;
    }
}

void KernelMembers::add_ends(Member &m, const Func &func) {
    const LoopName site = *m.nest->compute_at;
    const Stage &stage = graph_.stage(site.stage);
    const Member &owner = members_.at(stage.func);
    const StageNest &loops = nest_.stage_nest(site.stage);
    const auto id = static_cast<size_t>(m.compute_loop);
    if (at_ends_.size() <= id) at_ends_.resize(num_loops_);
    for (size_t end : {0, 1}) {
        std::unique_ptr<IterationRegions> &regions = at_ends_[id][end];
        if (!regions) {
            Intervals ranges = loops.range;
            if (!owner.ends.boxes[end].empty())
                graph_.loop_ranges(stage, newly_computed(*owner.nest, owner.ends.boxes[end]),
                                   ranges);
            for (int l = 0; l <= nest_.position(site); l++) {
                const LoopLevel &loop = loops.loops[static_cast<size_t>(l)];
                Interval &range = ranges[static_cast<size_t>(loop.name.dim)];
                const int64_t steps = (range.extent() + loop.span - 1) / loop.span;
                if (end == 1 && steps > 0) range.min += loop.span * (steps - 1);
                range.max = std::min(range.min + loop.span - 1, range.max);
            }
            regions = std::make_unique<IterationRegions>(nest_, site, ranges);
        }
        m.ends.boxes[end] = regions->of(func.id);
    }
    if (m.nest->slide_dim < 0) count_growth(m);
}

void KernelMembers::add_fill(Member &m, const Func &func) {
    if (m.nest->slide_dim >= 0) {
        m.own_fill = warm_up(graph_, nest_, m);
        return;
    }
    const int site = m.compute_loop;
    const auto is_filled = [&](const auto &entry) {
        return entry.second.compute_loop == site && entry.second.own_fill > 1;
    };
    if (std::ranges::none_of(members_, is_filled)) return;
    // Of the Funcs in the loop, readers first.
    Fills fills;
    for (const auto &[f, reader] : members_) {
        if (f == func.id) continue;
        if (reader.compute_loop == site)
            fills.emplace_back(f, reader.own_fill);
        else if (std::ranges::find(reader.chain, site, &StackLoop::id) != reader.chain.end())
            fills.emplace_back(f, fill_by_readers(fills, f));
    }
    m.own_fill = fill_by_readers(fills, func.id);
}

double KernelMembers::fill_by_readers(const Fills &readers, FuncId f) const {
    double most = 1;
    for (const auto &[reader, fill] : readers) {
        if (fill <= most) continue;
        for (const StageNest &s : nest_.at(reader).stages) {
            const std::vector<FuncId> &reads = expander_.expand(nest_, s.stage).reads;
            if (std::ranges::find(reads, f) != reads.end()) most = fill;
        }
    }
    return most;
}

}  // namespace cryolite
