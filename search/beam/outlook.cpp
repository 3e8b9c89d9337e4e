#include "search/beam/outlook.h"

#include <algorithm>

#include "code/legality/apply.h"
#include "search/plain_schedule.h"
#include "search/space/choices.h"
#include "search/space/placements.h"

namespace cryolite {
namespace {

// A block of sums: this many vectors in this many rows. It has enough independent additions to hide their
// latency, and fits the registers of any machine.
constexpr int64_t vectors_of_sums = 2, rows_of_sums = 4;

// Plain loops, and with choices those that take one way at each. For a Func with a reduction also plain loops with a
// block of sums in registers: without it products would be priced several times too high.
std::vector<std::vector<Action>> shapes(const LoopNest &nest, const Func &func, Hardware hardware) {
    if (hardware.gpu) return {plain_loops(nest, func, hardware)};
    const Machine &machine = *hardware.cpu;
    TilingTemplate plain = plain_template(nest, func, machine);
    if (nest.at(func.id).placement != Placement::Root) plain.parallel = 0;
    std::vector<std::vector<Action>> out{loops_of(nest, func, plain)};
    if (may_choose(nest.graph(), func))
        if (const TilingSpace space(nest, func.id, machine); choices_of(space) == Choices::Own)
            out.push_back(loops_of(nest, func, with_choices_taken(space, plain)));
    const StageGraph &graph = nest.graph();
    const bool has_reduction = std::ranges::any_of(func.stages, [&](StageId s) {
        return std::ranges::any_of(graph.stage(s).loops,
                                   [](const StageLoop &l) { return l.is_reduction; });
    });
    if (!has_reduction || plain.vector_dim < 0) return out;
    TilingTemplate block = plain;
    const auto across = static_cast<size_t>(plain.vector_dim);
    const Intervals &region = nest.at(func.id).compute_region;
    if (region[across].extent() >= vectors_of_sums * plain.width)
        block.unroll[across] = vectors_of_sums;
    for (size_t d = 0; d < region.size(); d++)
        if (d != across && region[d].extent() >= rows_of_sums) {
            block.unroll[d] = rows_of_sums;
            break;
        }
    out.push_back(loops_of(nest, func, block));
    return out;
}

}  // namespace

std::optional<BeamState> Outlook::cheapest(const LoopNest &nest, FuncId func,
                                           const std::shared_ptr<const CostedNest> &near,
                                           Expander &expander) const {
    const Func &f = nest.graph().func(func);
    std::optional<BeamState> best;
    const auto compare = [&](LoopNest made) {
        std::optional<BeamState> state = expander.evaluated(std::move(made), near);
        if (state && (!best || *state < *best)) best = std::move(state);
    };
    const std::vector<PlacementActions> places = placements(nest, func, false);
    for (const PlacementActions &place : places) {
        if (deadline_.passed()) break;
        LoopNest placed = nest;
        bool accepted = true;
        for (const Action &a : place) accepted = accepted && try_apply(placed, a);
        if (!accepted) continue;
        if (has_own_loops(placed, f)) {
            for (const std::vector<Action> &shape : shapes(placed, f, hardware_)) {
                LoopNest shaped = placed;
                for (const Action &a : shape) try_apply(shaped, a);
                compare(std::move(shaped));
            }
        } else if (places.size() == 1) {
            return BeamState{std::move(placed), -1};
        } else {
            compare(std::move(placed));
        }
    }
    return best;
}

double Outlook::seconds(const BeamState &state, Expander &expander) const {
    if (funcs_.empty()) return state.seconds;
    const auto near = expander.model().costed(state.nest, state.parent.get());
    LoopNest nest = state.nest;
    double seconds = state.seconds;
    for (FuncId f : funcs_) {
        std::optional<BeamState> next = cheapest(nest, f, near, expander);
        if (!next) break;
        nest = std::move(next->nest);
        if (next->seconds >= 0) seconds = next->seconds;
    }
    return seconds;
}

}  // namespace cryolite
