#include "code/legality/companions.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "graph/facts/followed_dims.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

bool is_plain(const StageGraph &graph, const Func &func) {
    if (func.is_input() || func.locked || func.enclosed || func.is_extern || func.inline_only ||
        func.stages.size() != 1)
        return false;
    const Stage &stage = graph.stage(func.stages[0]);
    // Parts of an odd length, by which Halide is kept from taking vectors for aligned, would be loops between.
    return !stage.has_predicate && std::ranges::none_of(stage.loops, [](const StageLoop &l) {
        return l.is_reduction || l.taken_for_aligned;
    });
}

bool are_independent(const StageGraph &graph, FuncId a, FuncId b) {
    return !graph.reads(a, b) && !graph.reads(b, a);
}

// Whether groups would need each other in a circle. Halide realises the Funcs that share loops as one, so that no other
// group may both read one of them and be read by one, directly or through further groups.
bool makes_a_cycle(const LoopNest &nest, const std::vector<FuncId> &group) {
    const StageGraph &graph = nest.graph();
    const auto leads = [&](FuncId f) {
        return nest.decided(f) && nest.at(f).placement == Placement::Root &&
               nest.at(f).stages.size() == 1 && nest.at(f).stages[0].has_company &&
               std::ranges::find(group, f) == group.end();
    };
    std::vector<std::vector<FuncId>> groups;
    for (const Func &leader : graph.funcs()) {
        if (leader.is_input() || !leads(leader.id)) continue;
        groups.push_back({leader.id});
        for (FuncId f : nest.computed_in(leader.id))
            if (nest.at(f).is_companion) groups.back().push_back(f);
    }
    const auto needs = [&](const std::vector<FuncId> &a, const std::vector<FuncId> &b) {
        return std::ranges::any_of(a, [&](FuncId x) {
            return std::ranges::any_of(b, [&](FuncId y) { return graph.reads(x, y); });
        });
    };
    std::vector<bool> met(groups.size(), false);
    std::vector<std::vector<FuncId>> to_visit{group};
    while (!to_visit.empty()) {
        const std::vector<FuncId> at = std::move(to_visit.back());
        to_visit.pop_back();
        if (at != group && needs(at, group)) return true;
        for (size_t g = 0; g < groups.size(); g++) {
            if (met[g] || !needs(at, groups[g])) continue;
            met[g] = true;
            to_visit.push_back(groups[g]);
        }
    }
    return false;
}

bool may_share(const StageNest &leader, int position) {
    if (!takes_producers(leader, static_cast<size_t>(position))) return false;
    // The region of a woven stage is aligned: it is not the companion's.
    if (std::ranges::any_of(leader.loops, [](const LoopLevel &l) { return l.woven > 1; }))
        return false;
    return std::none_of(
        leader.loops.begin(), leader.loops.begin() + position + 1, [](const LoopLevel &l) {
            return l.name.level > 0 || (l.kind != LoopKind::Serial && l.kind != LoopKind::Parallel);
        });
}

// Whether what is needed in the loops down to `last`, which are shared, would have no limit where another Func's part
// goes further, and reads an input.
bool is_unlimited(const Func &func, const StageNest &leader, int last) {
    if (std::ranges::all_of(func.may_overcompute, std::identity())) return false;
    return std::any_of(leader.loops.begin(), leader.loops.begin() + last + 1,
                       [](const LoopLevel &l) { return l.span == 1; });
}

// Whether each of the loops to share walks a dimension that the companion has. dims: of the leader, by the companion's.
bool can_share(const StageNest &leader, const Stage &stage, int position,
               const std::vector<int> &dims) {
    return std::all_of(leader.loops.begin(), leader.loops.begin() + position + 1,
                       [&](const LoopLevel &l) {
                           const int dim = stage.loops[static_cast<size_t>(l.name.dim)].func_dim;
                           return std::ranges::find(dims, dim) != dims.end();
                       });
}

}  // namespace

std::vector<int> shared_dims(const StageGraph &graph, FuncId companion, FuncId leader) {
    const Box &own = graph.func(companion).root_region, &other = graph.func(leader).root_region;
    std::vector<int> dims(own.size());
    std::iota(dims.begin(), dims.end(), 0);
    if (own == other) return dims;
    dims = followed_dims(graph, companion, leader);
    for (size_t d = 0; d < dims.size(); d++)
        if (dims[d] >= 0 && own[d] != other[static_cast<size_t>(dims[d])]) dims[d] = -1;
    return dims;
}

bool overreaches_shared_loop(const LoopNest &nest, const Func &f, LoopName at) {
    const StageNest &leader = nest.stage_nest(at.stage);
    if (!leader.has_company || nest.at(nest.graph().stage(at.stage).func).is_companion)
        return false;
    int last = -1;
    for (FuncId guest : nest.computed_in(nest.graph().stage(at.stage).func))
        if (nest.at(guest).is_companion)
            last = std::max(last, nest.position(*nest.at(guest).compute_at));
    return nest.position(at) <= last && is_unlimited(f, leader, nest.position(at));
}

bool divides_shared_parts(const LoopNest &nest, const FuncNest &companion) {
    const StageNest &own = companion.stages[0];
    const Stage &stage = nest.graph().stage(own.stage);
    return std::ranges::all_of(own.loops, [&](const LoopLevel &l) {
        const int64_t part =
            shared_part(nest, companion, stage.loops[static_cast<size_t>(l.name.dim)].func_dim);
        return part == 0 || part % l.span == 0;
    });
}

bool may_accompany(const LoopNest &nest, FuncId f, LoopName with) {
    const StageGraph &graph = nest.graph();
    const int position = nest.position(with);
    if (position < 0) return false;
    const Func &func = graph.func(f), &leader = graph.func_of(with.stage);
    const FuncNest &led_by = nest.at(leader.id);
    // Regions are asked for by ids in order: regions.h.
    if (leader.id >= f || led_by.placement != Placement::Root || !is_plain(graph, leader) ||
        !is_plain(graph, func) || led_by.stages[0].tile_kernel ||
        !may_share(led_by.stages[0], position) || !are_independent(graph, f, leader.id) ||
        !can_share(led_by.stages[0], graph.stage(with.stage), position,
                   shared_dims(graph, f, leader.id)))
        return false;
    std::vector<FuncId> group{leader.id, f};
    for (FuncId guest : nest.computed_in(leader.id)) {
        const FuncNest &placed = nest.at(guest);
        if (placed.slide_dim >= 0) return false;
        if (!placed.is_companion) {
            if (is_unlimited(graph.func(guest), led_by.stages[0],
                             std::min(position, nest.position(*placed.compute_at))))
                return false;
            continue;
        }
        if (!are_independent(graph, f, guest)) return false;
        group.push_back(guest);
    }
    return !makes_a_cycle(nest, group);
}

}  // namespace cryolite
