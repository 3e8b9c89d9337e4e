#include "search/search.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/memory_use.h"
#include "search/beam/alternatives.h"
#include "search/beam/beam.h"
#include "search/beam/candidates.h"
#include "search/beam/decision_order.h"
#include "search/beam/outlook.h"
#include "search/gpu/staged_products.h"
#include "search/gpu/tensor_choice.h"
#include "search/memory_plan.h"
#include "search/plans.h"
#include "search/refinement/freezing.h"
#include "search/refinement/refine.h"
#include "search/refinement/twins.h"
#include "search/workers.h"

namespace cryolite {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr uint64_t max_refinement_rounds = 16;
constexpr size_t most_shallower = 2;
constexpr double light_share = 1.0 / 8;  // of a schedule's compile time, for lightened()
// A pass leaves at least this share of the time to refinement.
constexpr double refinement_share = 0.2;
// Refining a given start leaves at least this share of the time to the passes.
constexpr double start_share = 0.6;
// A pass that carries on its best state alone takes at most this many times the latest seconds per state.
constexpr double hurry_factor = 2;
constexpr double refinement_gain =
    0.995;  // a round that ends above this share of the cost gained nothing

size_t threads_of(const SearchOptions &options) {
    return options.threads > 0 ? static_cast<size_t>(options.threads)
                               : std::max(1u, std::thread::hardware_concurrency());
}

class Search {
public:
    Search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
           const Effort &effort, const Log &log)
        : Search(graph, hardware, options, effort, log, compile_budget(graph, hardware, options)) {}

    Search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
           const Effort &effort, const Log &log, const CompileBudget &budget)
        : graph_(graph),
          hardware_(hardware),
          options_(options),
          effort_(effort),
          log_(log),
          limit_(options.deadline.at_most(options.time_limit_seconds)),
          refinement_seconds_(limit_.left() * refinement_share),
          memory_(options.memory_limit_bytes, resident_bytes()),
          workers_(threads_of(options), [this, budget] {
              return std::make_unique<Expander>(graph_, hardware_, options_,
                                                memory_.memo_bytes(threads_of(options_)), budget);
          }) {}

    SearchResult run() {
        const double left = limit_.left();
        const LoopNest plain = plain_schedule(graph_, hardware_);
        BeamState best = workers_.first().evaluated_at_any_size(plain);
        // Reserves time for the work after the search: to finish a pass plainly, to make the fallbacks and to
        // explain the result. Each takes about as long as the plain schedule did.
        limit_ = limit_.earlier(4 * (left - limit_.left()));
        std::vector<BeamState> ends{best};
        const double plain_seconds = best.seconds;
        for (const LoopNest &plan : options_.plans) {
            auto state = workers_.first().evaluated(plan);
            if (!state) continue;
            best = std::min(best, *state);
            ends.push_back(std::move(*state));
        }
        for (const LoopNest &plan : staged_products(graph_, hardware_)) {
            auto state = workers_.first().evaluated(plan);
            if (state) take(refine(std::move(*state), limit_), best, ends);
        }
        double most_seconds = plain_seconds;  // of the result, for the sake of compile time
        std::vector<BeamState> improved;      // the start, and what it is refined to
        if (options_.start) {
            improved.push_back(workers_.first().evaluated_at_any_size(*options_.start));
            most_seconds = std::min(most_seconds, improved[0].seconds);
            improved.push_back(refine(improved[0], limit_.earlier(limit_.left() * start_share)));
        }
        // The passes do not know the start: the result then costs no more than without one.
        for (int64_t i = 0; i < effort_.passes && !passed(deadline_of_beam(order_.size())); i++) {
            // The pass that looks ahead has coarse structures and few tilings, as the first pass has.
            const bool looks_ahead = i == effort_.passes_without_outlook();
            const int64_t draws = looks_ahead ? 0 : i;
            std::optional<BeamState> found =
                run_pass(draws, looks_ahead, Plans(options_.plans), ends);
            if (!found) continue;
            freeze(found->nest);
            take(refine(std::move(*found), limit_), best, ends);
            log_.info("pass " + std::to_string(i + 1) + ": predicted " +
                      std::to_string(best.seconds * 1e3) + " ms");
            freeze(best.nest);
        }
        if (options_.start) {
            const Plans mixed({improved[0].nest, improved[1].nest, best.nest});
            for (BeamState &state : improved) take(std::move(state), best, ends);
            if (!passed(deadline_of_beam(order_.size())))
                if (auto found = run_pass(effort_.passes, false, mixed, ends))
                    take(refine(std::move(*found), limit_), best, ends);
        }
        // Only once, at the end, against the best of all passes: tolerances must not add up.
        if (!options_.exhaustive) {
            BeamState simple = simplest(ends, best, std::max(best.seconds, most_seconds));
            if (simple.nest.hash() != best.nest.hash())
                log_.info("as good and simpler: " + std::to_string(simple.seconds * 1e3) +
                          " ms, compiles in about " + std::to_string(simple.compile_seconds) +
                          " s instead of " + std::to_string(best.compile_seconds));
            best = std::move(simple);
        }
        SearchResult result{best.nest, workers_.first().model().explain(best.nest), {}, {}, {}};
        result.shallower = shallower(best.nest);
        result.others = candidates_.beside(best.nest);
        add_other_ways(result);
        statistics_.add(workers_.statistics());
        result.statistics = statistics_;
        result.statistics.seconds_total = seconds_since(start_);
        return result;
    }

    // Of the candidates the last give way: tensor cores and ordinary loops should both be measured where they are near.
    void add_other_ways(SearchResult &result) const {
        if (options_.candidates <= 1 || options_.require_tensor_cores) return;
        const size_t room = static_cast<size_t>(options_.candidates) - 1;
        std::vector<LoopNest> ways = near_other_ways(result.nest, hardware_, options_);
        if (ways.size() > room)
            ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(room), ways.end());
        const size_t kept = std::min(result.others.size(), room - ways.size());
        result.others.erase(result.others.begin() + static_cast<std::ptrdiff_t>(kept),
                            result.others.end());
        for (LoopNest &way : ways) result.others.push_back(std::move(way));
    }

    LoopNest refined(const LoopNest &complete) {
        return refine(workers_.first().evaluated_at_any_size(complete), limit_).nest;
    }

    SearchResult redecided(const LoopNest &complete, std::span<const FuncId> free) {
        frozen_ = Freezing(complete, free);
        std::vector<BeamState> ends{workers_.first().evaluated_at_any_size(complete)};
        BeamState best = ends[0];
        if (auto found = run_pass(0, false, Plans({complete}), ends)) best = std::min(best, *found);
        return {best.nest, workers_.first().model().explain(best.nest), statistics_, {}, {}};
    }

private:
    bool passed(const Deadline &deadline) {
        if (!deadline.passed()) return false;
        statistics_.hit_time_limit = true;
        return true;
    }

    // A complete state that the search ends with, perhaps the best.
    void take(BeamState found, BeamState &best, std::vector<BeamState> &ends) {
        alternatives_.add(found);
        candidates_.add(found);
        ends.push_back(found);
        if (found < best) best = std::move(found);
    }

    // The process may grow by more than MemoryPlan counts. Then all memos are forgotten, because the result
    // does not depend on them.
    void forget_memos_near_limit() {
        if (!memory_.is_near_limit(resident_bytes())) return;
        workers_.forget_memos();
        return_free_memory();
        memory_.note_memos_forgotten(resident_bytes());
        statistics_.hit_memory_limit = true;
    }

    // From here on, Funcs that are not worth deciding anew keep their decisions of `complete`.
    void freeze(const LoopNest &complete) {
        if (effort_.frozen_share <= 0) return;
        frozen_ =
            Freezing(complete, workers_.first().model().explain(complete), effort_.frozen_share);
        log_.debug("frozen: " + std::to_string(frozen_.count()) + " of " +
                   std::to_string(order_.size()) + " Funcs");
    }

    // With this many Funcs left, only the best state of the beam goes on after this deadline.
    Deadline deadline_of_beam(size_t funcs) const {
        return limit_.earlier(std::max(
            refinement_seconds_, hurry_factor * seconds_per_state_ * static_cast<double>(funcs)));
    }

    // Schedules of half the depth of `best`, and of a quarter.
    std::vector<LoopNest> shallower(const LoopNest &best) {
        std::vector<LoopNest> found;
        for (int depth = nesting_depth(best); depth > 0 && found.size() < most_shallower;) {
            depth /= 2;
            const LoopNest made = flattened(best, depth, hardware_);
            const BeamState *known = alternatives_.at_most(depth);
            const bool is_better = known && *known < workers_.first().evaluated_at_any_size(made);
            found.push_back(is_better ? known->nest : made);
        }
        return found;
    }

    // The best state. Adds all that are as good to `ends`.
    std::optional<BeamState> run_pass(int64_t pass, bool looks_ahead, const Plans &plans,
                                      std::vector<BeamState> &ends) {
        std::vector<BeamState> beam{{LoopNest(graph_), 0}};
        // Coarse structures first, finer ones in later passes.
        const int coarseness = pass == 0 ? 2 : 1;
        Pace pace(effort_.beam_size, Pace::narrowest_beam, effort_.work);
        OutlookPace outlook_pace{Pace(widest_outlook(), 1, effort_.work), widest_outlook()};
        size_t steps_left = order_.size() - frozen_.count();
        int64_t wanted = effort_.beam_size;
        for (size_t i = 0; i < order_.size(); i++) {
            const Deadline end = deadline_of_beam(order_.size() - i);
            const bool hurry = passed(end);
            // The best state alone goes on, with few tilings for each Func.
            if (hurry) beam.erase(beam.begin() + 1, beam.end());
            const bool by_structure = effort_.by_structure && i + 1 < order_.size();
            const Step step{
                order_[i], by_structure ? order_[i + 1] : FuncId{},           pass, coarseness,
                end,       hurry ? fewest_tilings : effort_.tilings_in(pass), plans};
            uint64_t made = 0;
            const uint64_t before = workers_.work();
            std::vector<BeamState> children = expand_all(beam, step, &made);
            const bool frozen = frozen_.holds(step.func);
            if (!frozen) steps_left--;
            // A step that was cut off may have missed its best children: finish its parents instead.
            if (children.empty() || passed(limit_)) return finish(beam);
            // A frozen Func takes next to no work, which says nothing about the next Func.
            if (!frozen) wanted = pace.width(workers_.work() - before, beam.size(), steps_left);
            if (hurry) wanted = 1;
            const size_t width = std::min(static_cast<size_t>(wanted), memory_.widest_beam());
            statistics_.beam_narrowed |= width < static_cast<size_t>(wanted) && width < made;
            if (looks_ahead && !frozen)
                children =
                    with_outlook(std::move(children), width, step, i + 1, steps_left, outlook_pace);
            beam = selected(std::move(children), width, step);
            log_.debug("Func " + graph_.func(order_[i]).name + ": best " +
                       std::to_string(beam[0].seconds * 1e3) + " ms, expected " +
                       std::to_string(beam[0].rank_seconds() * 1e3) + " ms of " +
                       std::to_string(beam.size()) + " states");
        }
        for (const BeamState &state : beam) {
            alternatives_.add(state);
            candidates_.add(state);
            if (state.seconds <= as_good * beam[0].seconds) ends.push_back(state);
        }
        return beam[0];
    }

    // Rounds over all Funcs, each with other random draws, until two in a row gain next to nothing. What they find last
    // is then tried for all twins.
    BeamState refine(BeamState best, const Deadline &end) {
        if (!effort_.refine) return best;
        auto near = workers_.first().model().costed(best.nest, best.parent.get());
        const Random random(static_cast<uint64_t>(options_.seed));
        const uint64_t end_of_work = workers_.work() + effort_.refinement_work;
        const auto is_over = [&] { return passed(end) || workers_.work() >= end_of_work; };
        int rounds_without_gain = 0;
        for (uint64_t round = 0;
             round < max_refinement_rounds && rounds_without_gain < 2 && !is_over(); round++) {
            const double before = best.seconds;
            for (size_t i = 0; i < order_.size() && !is_over(); i++)
                change(best, near, i, end, [&](const Refinement &refinement) {
                    return refinement.changes(i, random.fork("refine", round).fork("func", i));
                });
            rounds_without_gain =
                best.seconds > before * refinement_gain ? rounds_without_gain + 1 : 0;
        }
        for (size_t i = 0; i < order_.size() && !passed(end); i++)
            change(best, near, i, end, [&](const Refinement &refinement) {
                return refinement.changes_by_twins(FuncId(i));
            });
        return best;
    }

    // The best of a Func's changes, if it is better. near: the costs of `best`.
    template <typename Changes>
    void change(BeamState &best, std::shared_ptr<const CostedNest> &near, size_t func,
                const Deadline &end, Changes changes_of) {
        if (frozen_.holds(FuncId(func))) return;
        const Refinement refinement(best.nest, hardware_, twins_, effort_.tilings, effort_.redraw);
        const std::vector<Change> changes = changes_of(refinement);
        std::vector<std::optional<BeamState>> tried(changes.size());
        workers_.in_parallel(changes.size(), [&](Expander &worker, size_t k) {
            if (end.passed()) return;
            std::optional<LoopNest> nest = refinement.with(changes[k]);
            if (nest) tried[k] = worker.evaluated(std::move(*nest), near);
            if (tried[k] && !(*tried[k] < best)) tried[k].reset();
            if (tried[k] && changes[k].is_small && !is_worth_compiling(*tried[k], best))
                tried[k].reset();
        });
        const uint64_t unchanged = best.nest.hash();
        for (std::optional<BeamState> &t : tried)
            if (t && *t < best) best = std::move(*t);
        if (best.nest.hash() != unchanged)
            near = workers_.first().model().costed(best.nest, near.get());
    }

    std::optional<BeamState> finish(const std::vector<BeamState> &beam) {
        if (beam.empty()) return std::nullopt;
        return workers_.first().evaluated_at_any_size(finish_plainly(beam[0].nest, hardware_));
    }

    // The decision of one Func.
    struct Step {
        FuncId func, next;  // next: see select()
        int64_t pass;
        int coarseness;
        Deadline end;  // for all states but the best
        int64_t tilings;
        const Plans &plans;
    };

    std::vector<BeamState> selected(std::vector<BeamState> states, size_t size, const Step &step) {
        const auto start = Clock::now();
        std::vector<BeamState> kept = select(std::move(states), size, step.next, step.coarseness,
                                             &statistics_.states_duplicate);
        statistics_.seconds_selecting += seconds_since(start);
        return kept;
    }

    // How far a step looks ahead, in states times Funcs, so that the work lasts to the end of the pass.
    struct OutlookPace {
        Pace pace;
        int64_t width;
    };
    int64_t widest_outlook() const {
        return effort_.beam_size * effort_.outlook_width * std::max<int64_t>(1, effort_.outlook);
    }

    // The states from which `size` may go on, with their expected_seconds.
    std::vector<BeamState> with_outlook(std::vector<BeamState> states, size_t size,
                                        const Step &step, size_t next, size_t steps_left,
                                        OutlookPace &outlook_pace) {
        if (next == order_.size() || states.size() <= 1) return states;
        const size_t candidates = size * static_cast<size_t>(effort_.outlook_width);
        states = selected(std::move(states), candidates, step);
        const auto start = Clock::now();
        const uint64_t before = workers_.work();
        const size_t affordable = static_cast<size_t>(outlook_pace.width) / states.size();
        const size_t ahead = std::min({order_.size() - next, static_cast<size_t>(effort_.outlook),
                                       std::max<size_t>(1, affordable)});
        const Outlook outlook(hardware_, std::span(order_).subspan(next, ahead), step.end);
        workers_.in_parallel(states.size(), [&](Expander &worker, size_t i) {
            states[i].expected_seconds = outlook.seconds(states[i], worker);
        });
        outlook_pace.width =
            outlook_pace.pace.width(workers_.work() - before, states.size() * ahead, steps_left);
        statistics_.seconds_foreseeing += seconds_since(start);
        // An outlook that the deadline cut off cannot be compared with a whole one.
        if (step.end.passed())
            for (BeamState &s : states) s.expected_seconds = 0;
        return states;
    }

    // *made: how many children there were, including those that were dropped early.
    std::vector<BeamState> expand_all(const std::vector<BeamState> &beam, const Step &step,
                                      uint64_t *made) {
        std::vector<BeamState> all;
        memory_.begin_step();
        for (size_t first = 0; first < beam.size();) {
            const auto start = Clock::now();
            const size_t count = memory_.states_at_once(beam.size() - first);
            std::vector<std::vector<BeamState>> slots(count);
            workers_.in_parallel(count, [&](Expander &worker, size_t i) {
                // The best state may take all the time there is, so that it is expanded whole.
                const BeamState &state = beam[first + i];
                if (auto kept = frozen_.decided(state.nest, step.func))
                    return worker.keep(state, std::move(*kept), slots[i]);
                worker.expand(state, step.func, step.pass, step.tilings,
                              first + i == 0 ? limit_ : step.end, slots[i]);
                for (LoopNest &planned : step.plans.decided(state.nest, step.func))
                    worker.keep(state, std::move(planned), slots[i]);
            });
            first += count;
            for (auto &slot : slots) {
                int64_t bytes = 0;
                if (!slot.empty() && slot[0].parent) bytes += shared_bytes(*slot[0].parent);
                for (BeamState &s : slot) {
                    bytes += own_bytes(s.nest, step.func);
                    all.push_back(std::move(s));
                }
                memory_.add(slot.size(), bytes);
                *made += slot.size();
            }
            statistics_.seconds_expanding += seconds_since(start);
            seconds_per_state_ = seconds_since(start) *
                                 static_cast<double>(std::min(workers_.size(), count)) /
                                 static_cast<double>(count);
            if (memory_.is_full() && first < beam.size() && all.size() > memory_.kept_when_full()) {
                all = selected(std::move(all), memory_.kept_when_full(), step);
                memory_.thinned_to(all.size());
                statistics_.beam_narrowed = true;
            }
            forget_memos_near_limit();
        }
        return all;
    }

    const StageGraph &graph_;
    const Hardware hardware_;
    const SearchOptions &options_;
    const Effort effort_;
    const Log &log_;
    Deadline limit_;  // for passes and refinement
    const double refinement_seconds_;
    double seconds_per_state_ = 0;  // that expanding took lately, on one thread
    MemoryPlan memory_;
    Workers workers_;
    Alternatives alternatives_;
    Candidates candidates_{static_cast<size_t>(options_.candidates)};
    Freezing frozen_;
    SearchStatistics statistics_;
    const std::vector<FuncId> order_ = decision_order(graph_);
    const Twins twins_{graph_};
    const Clock::time_point start_ = Clock::now();
};

}  // namespace

SearchResult search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                    const Effort &effort, const Log &log) {
    return Search(graph, hardware, options, effort, log).run();
}

LoopNest lightened(const LoopNest &complete, Hardware hardware, const SearchOptions &options) {
    const StageGraph &graph = complete.graph();
    const double seconds = CompileModel(graph, *hardware.cpu).evaluate(complete).seconds();
    const Log silent;
    return Search(graph, hardware, options, effort(graph, options, hardware.gpu), silent,
                  {0, light_share * seconds})
        .refined(complete);
}

SearchResult redecided(const LoopNest &complete, std::span<const FuncId> free, Hardware hardware,
                       const SearchOptions &options) {
    const StageGraph &graph = complete.graph();
    const Log silent;
    return Search(graph, hardware, options, effort(graph, options, hardware.gpu), silent)
        .redecided(complete, free);
}

SearchResult search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                    const Log &log) {
    return search(graph, hardware, options, effort(graph, options, hardware.gpu), log);
}

}  // namespace cryolite
