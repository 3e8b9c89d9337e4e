#include "search/refinement/refine.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "code/kernel/kernels.h"
#include "code/legality/apply.h"
#include "schedule/func_nest.h"
#include "search/plain_schedule.h"
#include "search/refinement/nearby_loops.h"
#include "search/space/placements.h"
#include "search/space/tilings.h"

namespace cryolite {
namespace {

// Different decisions of twins that are tried for one Func.
constexpr size_t most_twins = 16;

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

std::vector<Change> Refinement::changes(size_t func, Random random,
                                        const PlaceLessons &lessons) const {
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
        const size_t all = stays ? 6 * count : count / 3 + 1;
        // An eighth of the draws beside a lesson: with all of them the search takes longer and finds nothing better.
        const bool is_taught = lessons.knows(place);
        const TilingLimits limits{is_taught ? all / 8 + 1 : all, false};
        std::vector<std::vector<Action>> shapes = tilings(*placed, f, hardware_, limits, random);
        if (is_taught) add_lesson(lessons.best(place), shapes);
        const auto where = std::make_shared<const PlacementActions>(place);
        for (std::vector<Action> &loops : shapes)
            out.push_back({placed, std::move(loops), from.dependents, false, where});
        if (!stays) continue;
        for (std::vector<Action> &loops : nearby_loops(now.how))
            out.push_back({placed, std::move(loops), from.dependents, true});
    }
    if (moves) std::ranges::move(changes_by_twins(f), std::back_inserter(out));
    return out;
}

std::vector<Change> Refinement::simpler(FuncId f) const {
    const Func &func = complete_.graph().func(f);
    std::vector<Change> out;
    if (!has_own_loops(complete_, func)) return out;
    const Decision now = decision_of(complete_, f);
    const Start in_place = start(f, computed_inside(complete_, f));
    LoopNest made = in_place.nest;
    if (apply_all(made, now.where)) {
        const auto placed = std::make_shared<const LoopNest>(std::move(made));
        std::vector<Action> rolled = now.how, plain = plain_loops(*placed, func, hardware_);
        // Tasks within tasks are more than plain.
        if (placed->at(f).placement != Placement::Root)
            std::erase_if(
                plain, [](const Action &a) { return std::holds_alternative<action::Parallel>(a); });
        std::erase_if(rolled,
                      [](const Action &a) { return std::holds_alternative<action::Unroll>(a); });
        for (std::vector<Action> &loops :
             std::array{std::move(rolled), std::move(plain), std::vector<Action>{}})
            if (loops != now.how) out.push_back({placed, std::move(loops), in_place.dependents});
    }
    const Start elsewhere = start(f, read_within_its_kernels(f));
    for (const PlacementActions &place : placements(elsewhere.nest, f, false)) {
        LoopNest inlined = elsewhere.nest;
        if (!apply_all(inlined, place) || inlined.at(f).placement != Placement::Inline) continue;
        out.push_back(
            {std::make_shared<const LoopNest>(std::move(inlined)), {}, elsewhere.dependents});
    }
    return out;
}

std::vector<FuncId> Refinement::group(FuncId f) const {
    const StageGraph &graph = complete_.graph();
    const std::vector<FuncId> inside = computed_inside(complete_, f);
    std::vector<FuncId> found{f};
    for (size_t i = 0; i < found.size(); i++)
        for (StageId s : graph.func(found[i]).stages)
            for (EdgeId e : graph.stage(s).incoming) {
                const Func &read = graph.func(graph.edge(e).producer);
                if (read.is_input() || std::ranges::find(found, read.id) != found.end()) continue;
                if (complete_.at(read.id).placement == Placement::Inline ||
                    std::ranges::find(inside, read.id) != inside.end())
                    found.push_back(read.id);
            }
    found.erase(found.begin());
    return found;
}

std::vector<FuncId> Refinement::undecided_for_twin(FuncId f, FuncId twin) const {
    std::vector<FuncId> undecided = read_within_its_kernels(f);
    for (FuncId g : group(twin)) {
        const std::optional<FuncId> other = twins_.counterpart(g, twin, f);
        if (!other || complete_.graph().func(*other).locked) continue;
        undecided.push_back(*other);
        for (FuncId h : computed_inside(complete_, *other)) undecided.push_back(h);
    }
    std::ranges::sort(undecided);
    undecided.erase(std::unique(undecided.begin(), undecided.end()), undecided.end());
    return undecided;
}

std::vector<Change> Refinement::changes_by_twins(FuncId f) const {
    std::vector<Change> out;
    std::vector<std::vector<Decision>> tried;
    for (FuncId twin : twins_.of(f)) {
        if (tried.size() == most_twins) break;
        if (!twins_.decision(complete_, twin, f)) continue;
        std::vector<FuncId> undecided = undecided_for_twin(f, twin);
        undecided.insert(undecided.begin(), f);
        std::vector<Decision> now, repeated;
        for (FuncId g : undecided) {
            now.push_back(decision_of(complete_, g));
            const std::optional<FuncId> other = twins_.counterpart(g, f, twin);
            std::optional<Decision> by_twin;
            if (other) by_twin = twins_.decision(complete_, *other, g);
            repeated.push_back(by_twin ? std::move(*by_twin) : now.back());
        }
        if (repeated == now || std::ranges::find(tried, repeated) != tried.end()) continue;
        tried.push_back(repeated);
        if (std::optional<LoopNest> nest = decided(undecided, now, repeated))
            out.push_back({std::make_shared<const LoopNest>(std::move(*nest)),
                           {},
                           std::make_shared<const std::vector<Decision>>()});
    }
    return out;
}

std::optional<LoopNest> Refinement::decided(const std::vector<FuncId> &funcs,
                                            const std::vector<Decision> &now,
                                            const std::vector<Decision> &repeated) const {
    LoopNest nest = complete_;
    for (FuncId f : funcs) nest = nest.without(f);
    for (size_t i = 0; i < funcs.size(); i++) {
        // What is a place for a twin may be none here: a loop of one iteration.
        if (repeated[i] != now[i]) {
            const auto places = placements(nest, funcs[i], false);
            if (std::ranges::find(places, repeated[i].where) == places.end()) return std::nullopt;
        }
        if (!repeat_decision(nest, repeated[i])) return std::nullopt;
    }
    return nest;
}

std::optional<LoopNest> Refinement::with(const Change &change) const {
    LoopNest nest = *change.placed;
    for (const Action &a : change.loops) try_apply(nest, a);
    for (const Decision &d : *change.dependents)
        if (!repeat_decision(nest, d)) return std::nullopt;
    return nest;
}

}  // namespace cryolite
