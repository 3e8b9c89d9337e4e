#include "search/beam/pass.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/stopwatch.h"
#include "search/beam/outlook.h"
#include "search/pace.h"
#include "search/search.h"

namespace cryolite {
namespace {

// The decision of one Func.
struct Step {
    FuncId func, next;  // next: see select()
    Deadline end;       // for all states but the best
    int64_t tilings;
};

class Pass {
public:
    Pass(SearchContext &search, const PassKind &kind, const Plans &plans)
        : search_(search), kind_(kind), plans_(plans) {}

    PassResult run() {
        std::vector<BeamState> beam{{LoopNest(search_.graph), 0}};
        const std::vector<FuncId> &order = search_.order;
        const Effort &effort = search_.effort;
        Pace pace(effort.beam_size, Pace::narrowest_beam, effort.work);
        size_t steps_left = order.size() - search_.frozen.count();
        int64_t wanted = effort.beam_size;
        for (size_t i = 0; i < order.size(); i++) {
            const Deadline end = search_.time.of_beam(order.size() - i);
            const bool hurry = search_.passed(end);
            // The best state alone goes on, with few tilings for each Func.
            if (hurry) beam.erase(beam.begin() + 1, beam.end());
            const bool by_structure = effort.by_structure && i + 1 < order.size();
            const Step step{order[i], by_structure ? order[i + 1] : FuncId{}, end,
                            hurry ? fewest_tilings : effort.tilings_in(kind_.number)};
            uint64_t made = 0;
            const uint64_t before = search_.workers.work();
            std::vector<BeamState> children = expand_all(beam, step, &made);
            const bool frozen = search_.frozen.holds(step.func);
            if (!frozen) steps_left--;
            // A step that was cut off may have missed its best children: finish its parents instead.
            if (children.empty() || search_.passed(search_.time.limit()))
                return {finished(beam), {}};
            // A frozen Func takes next to no work, which says nothing about the next Func.
            if (!frozen)
                wanted = pace.width(search_.workers.work() - before, beam.size(), steps_left);
            if (hurry) wanted = 1;
            const size_t width =
                std::min(static_cast<size_t>(wanted), search_.memory.widest_beam());
            search_.statistics.beam_narrowed |= width < static_cast<size_t>(wanted) && width < made;
            if (kind_.looks_ahead && !frozen)
                children = with_outlook(std::move(children), width, step, i + 1, steps_left);
            beam = selected(std::move(children), width, step);
            search_.log.debug("Func " + search_.graph.func(step.func).name + ": best " +
                              std::to_string(beam[0].seconds * 1e3) + " ms, expected " +
                              std::to_string(beam[0].rank_seconds() * 1e3) + " ms of " +
                              std::to_string(beam.size()) + " states");
        }
        BeamState best = beam[0];
        return {std::move(best), std::move(beam)};
    }

private:
    std::optional<BeamState> finished(const std::vector<BeamState> &beam) {
        if (beam.empty()) return std::nullopt;
        return search_.workers.first().evaluated_at_any_size(
            finish_plainly(beam[0].nest, search_.hardware));
    }

    std::vector<BeamState> selected(std::vector<BeamState> states, size_t size, const Step &step) {
        const Stopwatch watch;
        // Coarse structures first, finer ones in later passes.
        const int coarseness = kind_.number == 0 ? 2 : 1;
        std::vector<BeamState> kept = select(std::move(states), size, step.next, coarseness,
                                             &search_.statistics.states_duplicate);
        search_.statistics.seconds_selecting += watch.seconds();
        return kept;
    }

    // The states from which `size` may go on, with their expected_seconds.
    std::vector<BeamState> with_outlook(std::vector<BeamState> states, size_t size,
                                        const Step &step, size_t next, size_t steps_left) {
        const std::vector<FuncId> &order = search_.order;
        const Effort &effort = search_.effort;
        if (next == order.size() || states.size() <= 1) return states;
        const size_t candidates = size * static_cast<size_t>(effort.outlook_width);
        states = selected(std::move(states), candidates, step);
        const Stopwatch watch;
        const uint64_t before = search_.workers.work();
        const size_t affordable = static_cast<size_t>(outlook_width_) / states.size();
        const size_t ahead = std::min({order.size() - next, static_cast<size_t>(effort.outlook),
                                       std::max<size_t>(1, affordable)});
        const Outlook outlook(search_.hardware, std::span(order).subspan(next, ahead), step.end);
        search_.workers.in_parallel(states.size(), [&](Expander &worker, size_t i) {
            states[i].expected_seconds = outlook.seconds(states[i], worker);
        });
        outlook_width_ =
            outlook_pace_.width(search_.workers.work() - before, states.size() * ahead, steps_left);
        search_.statistics.seconds_foreseeing += watch.seconds();
        // An outlook that the deadline cut off cannot be compared with a whole one.
        if (step.end.passed())
            for (BeamState &s : states) s.expected_seconds = 0;
        return states;
    }

    // A state of the beam that is being expanded.
    struct Expansion {
        const BeamState &state;
        Deadline end;
        bool is_frozen = false;
        Places places = {};
        std::vector<bool> teaches = {};                   // [place]
        std::vector<std::vector<TriedLoops>> tried = {};  // [place], where it teaches
        std::vector<BeamState> children = {};
    };

    // *made: how many children there were, including those that were dropped early.
    std::vector<BeamState> expand_all(const std::vector<BeamState> &beam, const Step &step,
                                      uint64_t *made) {
        std::vector<BeamState> all;
        PlaceLessons lessons;
        MemoryPlan &memory = search_.memory;
        memory.begin_step();
        for (size_t first = 0; first < beam.size();) {
            const Stopwatch watch;
            const size_t count = memory.states_at_once(beam.size() - first);
            std::vector<Expansion> expansions;
            // The best state may take all the time there is, so that it is expanded whole.
            for (size_t i = first; i < first + count; i++)
                expansions.push_back({beam[i], i == 0 ? search_.time.limit() : step.end});
            expand(expansions, step, lessons);
            first += count;
            for (Expansion &e : expansions) {
                int64_t bytes = 0;
                if (!e.children.empty() && e.children[0].parent)
                    bytes += shared_bytes(*e.children[0].parent);
                for (const BeamState &s : e.children) bytes += own_bytes(s.nest, step.func);
                memory.add(e.children.size(), bytes);
                *made += e.children.size();
                std::ranges::move(e.children, std::back_inserter(all));
            }
            const double seconds = watch.seconds();
            search_.statistics.seconds_expanding += seconds;
            search_.time.note_seconds_per_state(
                seconds * static_cast<double>(std::min(search_.workers.size(), count)) /
                static_cast<double>(count));
            if (memory.is_full() && first < beam.size() && all.size() > memory.kept_when_full()) {
                all = selected(std::move(all), memory.kept_when_full(), step);
                memory.thinned_to(all.size());
                search_.statistics.beam_narrowed = true;
            }
            search_.forget_memos_near_limit();
        }
        return all;
    }

    // First the places that are new, each in the first state that has it; then the others, with what that has taught.
    void expand(std::vector<Expansion> &expansions, const Step &step, PlaceLessons &lessons) {
        const TilingDraw draw{step.func, kind_.number, step.tilings};
        in_parallel(expansions, [&](Expander &worker, Expansion &e) {
            auto kept = search_.frozen.decided(e.state.nest, step.func);
            e.is_frozen = kept.has_value();
            if (kept)
                worker.keep(e.state, std::move(*kept), e.children);
            else
                e.places = worker.places(e.state, step.func, e.end);
        });
        find_teachers(expansions, lessons);
        in_parallel(expansions, [&](Expander &worker, Expansion &e) {
            for (size_t p = 0; p < e.teaches.size(); p++)
                if (e.teaches[p])
                    e.tried[p] = worker.expand(e.places, e.places.places[p], draw, nullptr, e.end,
                                               e.children);
        });
        for (Expansion &e : expansions)
            for (size_t p = 0; p < e.teaches.size(); p++)
                if (e.teaches[p]) lessons.learn(e.places.places[p].where, std::move(e.tried[p]));
        in_parallel(expansions, [&](Expander &worker, Expansion &e) {
            for (size_t p = 0; p < e.teaches.size(); p++)
                if (!e.teaches[p])
                    worker.expand(e.places, e.places.places[p], draw,
                                  &lessons.best(e.places.places[p].where), e.end, e.children);
            if (e.is_frozen) return;
            for (LoopNest &planned : plans_.decided(e.state.nest, step.func))
                worker.keep(e.state, std::move(planned), e.children);
        });
    }

    void find_teachers(std::vector<Expansion> &expansions, const PlaceLessons &lessons) const {
        std::vector<const PlacementActions *> taken;
        for (Expansion &e : expansions) {
            e.tried.resize(e.places.places.size());
            for (const Places::Place &place : e.places.places) {
                const bool is_new = !lessons.knows(place.where) &&
                                    std::ranges::none_of(taken, [&](const PlacementActions *other) {
                                        return *other == place.where;
                                    });
                if (is_new) taken.push_back(&place.where);
                e.teaches.push_back(is_new || search_.options.exhaustive);
            }
        }
    }

    template <typename Work>
    void in_parallel(std::vector<Expansion> &expansions, Work work) {
        search_.workers.in_parallel(
            expansions.size(), [&](Expander &worker, size_t i) { work(worker, expansions[i]); });
    }

    // In states times Funcs.
    int64_t widest_outlook() const {
        const Effort &effort = search_.effort;
        return effort.beam_size * effort.outlook_width * std::max<int64_t>(1, effort.outlook);
    }

    SearchContext &search_;
    const PassKind kind_;
    const Plans &plans_;
    // How far a step looks ahead, in states times Funcs, so that the work lasts to the end of the pass.
    Pace outlook_pace_{widest_outlook(), 1, search_.effort.work};
    int64_t outlook_width_ = widest_outlook();
};

}  // namespace

PassResult run_pass(SearchContext &search, const PassKind &kind, const Plans &plans) {
    return Pass(search, kind, plans).run();
}

}  // namespace cryolite
