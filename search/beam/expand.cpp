#include "search/beam/expand.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "code/legality/apply.h"
#include "search/search.h"
#include "search/space/placements.h"
#include "search/space/tilings.h"

namespace cryolite {

namespace {

// The compile budget is meant for a pipeline whose plain schedule compiles in this time. A longer pipeline
// compiles slowly with any schedule; its budget grows in proportion.
constexpr double usual_plain_seconds = 5;
// More than any two schedules differ by.
constexpr double beyond_all_others = 1e6;

}  // namespace

CompileBudget compile_budget(const StageGraph &graph, Hardware hardware,
                             const SearchOptions &options) {
    if (options.exhaustive) return {};
    const CompileCost plain =
        CompileModel(graph, *hardware.cpu).evaluate(plain_schedule(graph, hardware));
    const double longer = std::max(1.0, plain.seconds() / usual_plain_seconds);
    return {options.lowering_budget_seconds, options.compile_budget_seconds * longer};
}

Expander::Expander(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                   int64_t memo_bytes, CompileBudget budget)
    : hardware_(hardware),
      options_(options),
      own_model_(options.model
                     ? nullptr
                     : std::make_unique<CostModel>(
                           graph, hardware, memo_bytes,
                           options.remember_kernels ? KernelMemo::Costs : KernelMemo::Nothing)),
      model_(options.model ? *options.model : *own_model_),
      budget_(budget),
      undecided_products_(graph, hardware),
      twins_(graph) {
    model_.begin({options.cost_noise, static_cast<uint64_t>(options.seed)});
    model_.correct_by(options.correction);
}

bool Expander::try_action(LoopNest &nest, const Action &action) {
    const std::optional<Reason> reason = apply_in_place(nest, action);
    if (reason) statistics_.rejected[static_cast<size_t>(*reason)]++;
    return !reason;
}

BeamState Expander::state_of(LoopNest nest, const ScheduleTime &time,
                             std::shared_ptr<const CostedNest> near) const {
    double seconds =
        (time.seconds + undecided_products_.seconds(nest)) * overprice(time.compiling, budget_);
    if (options_.require_tensor_cores)
        seconds *= 1 + beyond_all_others * static_cast<double>(ordinary_products(nest, hardware_));
    return {std::move(nest), seconds, time.compiling.seconds(), std::move(near)};
}

std::optional<BeamState> Expander::evaluated(LoopNest nest,
                                             std::shared_ptr<const CostedNest> near) {
    const ScheduleTime time = model_.evaluate(nest, *near);
    return unless_too_large(std::move(nest), time, std::move(near));
}

std::optional<BeamState> Expander::evaluated(LoopNest nest) {
    const ScheduleTime time = model_.evaluate(nest);
    return unless_too_large(std::move(nest), time, nullptr);
}

std::optional<BeamState> Expander::unless_too_large(LoopNest nest, const ScheduleTime &time,
                                                    std::shared_ptr<const CostedNest> near) {
    statistics_.states_generated++;
    if (time.too_large || !std::isfinite(time.seconds)) {
        statistics_.states_too_large++;
        return std::nullopt;
    }
    return state_of(std::move(nest), time, std::move(near));
}

BeamState Expander::evaluated_at_any_size(LoopNest nest) {
    const ScheduleTime time = model_.evaluate(nest);
    return state_of(std::move(nest), time, nullptr);
}

void Expander::keep(LoopNest nest, const std::shared_ptr<const CostedNest> &parent,
                    std::vector<BeamState> &children) {
    if (auto state = evaluated(std::move(nest), parent)) children.push_back(std::move(*state));
}

void Expander::keep(const BeamState &state, LoopNest child, std::vector<BeamState> &children) {
    keep(std::move(child), model_.costed(state.nest, state.parent.get()), children);
}

Places Expander::places(const BeamState &state, FuncId func, const Deadline &deadline) {
    Places out;
    if (deadline.passed()) return out;
    out.parent = model_.costed(state.nest, state.parent.get());
    out.of_twins = twins_.decisions(state.nest, func);
    for (PlacementActions &where : placements(state.nest, func, options_.exhaustive)) {
        LoopNest placed = state.nest;
        bool accepted = true;
        for (const Action &a : where) accepted = accepted && try_action(placed, a);
        if (accepted) out.places.push_back({std::move(where), std::move(placed)});
    }
    return out;
}

std::vector<TriedLoops> Expander::expand(const Places &places, const Places::Place &place,
                                         const TilingDraw &draw,
                                         const std::vector<std::vector<Action>> *taught,
                                         const Deadline &deadline,
                                         std::vector<BeamState> &children) {
    std::vector<TriedLoops> tried;
    if (deadline.passed()) return tried;
    const Placement placement = place.nest.at(draw.func).placement;
    if (placement == Placement::Inline) {
        keep(place.nest, places.parent, children);
        return tried;
    }
    // A Func at root costs the same in every state, so memos pay for the larger choice.
    const auto all =
        static_cast<size_t>(draw.per_placement) * (placement == Placement::Root ? 4 : 1);
    // The loops around the place have other extents than where the lesson comes from: with an eighth of the draws the
    // search ends 1 % higher on the pipelines whose results vary most (bench/results/search.md).
    const TilingLimits limits{taught ? (all + 1) / 2 : all, options_.exhaustive};
    const Random random = Random(static_cast<uint64_t>(options_.seed))
                              .fork("tilings", static_cast<uint64_t>(draw.pass))
                              .fork("func", static_cast<uint64_t>(draw.func.value));
    std::vector<std::vector<Action>> shapes =
        tilings(place.nest, draw.func, hardware_, limits, random);
    if (taught) add_lesson(*taught, shapes);
    for (const Decision &d : places.of_twins)
        if (d.where == place.where) shapes.push_back(d.how);
    for (std::vector<Action> &shape : shapes) {
        if (deadline.passed()) return tried;
        LoopNest child = place.nest;
        // An action that is refused is left out: the state stays legal, if slower.
        for (const Action &a : shape) try_action(child, a);
        const size_t before = children.size();
        keep(std::move(child), places.parent, children);
        if (children.size() > before) tried.push_back({std::move(shape), children.back().seconds});
    }
    return tried;
}

void Expander::expand(const BeamState &state, const TilingDraw &draw, const Deadline &deadline,
                      std::vector<BeamState> &children) {
    const Places where = places(state, draw.func, deadline);
    for (const Places::Place &place : where.places)
        expand(where, place, draw, nullptr, deadline, children);
}

}  // namespace cryolite
