#include "search/search.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/stopwatch.h"
#include "search/beam/alternatives.h"
#include "search/beam/beam.h"
#include "search/beam/candidates.h"
#include "search/beam/pass.h"
#include "search/gpu/staged_products.h"
#include "search/gpu/tensor_choice.h"
#include "search/plans.h"
#include "search/refinement/climb.h"
#include "search/refinement/economy.h"
#include "search/search_context.h"

namespace cryolite {
namespace {

constexpr size_t most_shallower = 2;
constexpr double light_share = 1.0 / 8;  // of a schedule's compile time, for lightened()

class Search {
public:
    Search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
           const Effort &effort, const Log &log)
        : search_(graph, hardware, options, effort, log, compile_budget(graph, hardware, options)) {
    }

    SearchResult run() {
        const SearchOptions &options = search_.options;
        begin_plainly();
        const double plain_seconds = best_->seconds;
        take_given_schedules();
        double most_seconds = plain_seconds;  // of the result, for the sake of compile time
        std::vector<BeamState> improved;      // the start, and what it is refined to
        if (options.start) {
            improved.push_back(first().evaluated_at_any_size(*options.start));
            most_seconds = std::min(most_seconds, improved[0].seconds);
            improved.push_back(climbed(search_, improved[0], search_.time.of_start()));
        }
        // The passes do not know the start: the result then costs no more than without one.
        const int64_t passes = search_.effort.passes;
        for (int64_t i = 0; i < passes && has_time_for_pass(); i++) make_pass(i);
        if (options.start) {
            const Plans mixed({improved[0].nest, improved[1].nest, best_->nest});
            for (BeamState &state : improved) take(std::move(state));
            if (has_time_for_pass())
                if (auto found = pass({passes, false}, mixed).best)
                    take(refined(std::move(*found)));
        }
        if (!options.exhaustive) take_simplest(most_seconds);
        return result();
    }

private:
    Expander &first() { return search_.workers.first(); }

    void begin_plainly() {
        const double left = search_.time.limit().left();
        best_ = first().evaluated_at_any_size(plain_schedule(search_.graph, search_.hardware));
        ends_.push_back(*best_);
        // Reserves time for the work after the search: to finish a pass plainly, to make the fallbacks and to
        // explain the result. Each takes about as long as the plain schedule did.
        search_.time.reserve(4 * (left - search_.time.limit().left()));
    }

    // Complete schedules that are known before the first pass.
    void take_given_schedules() {
        for (const LoopNest &plan : search_.options.plans) {
            auto state = first().evaluated(plan);
            if (!state) continue;
            best_ = std::min(*best_, *state);
            ends_.push_back(std::move(*state));
        }
        for (const LoopNest &plan : staged_products(search_.graph, search_.hardware)) {
            auto state = first().evaluated(plan);
            if (state) take(refined(std::move(*state)));
        }
    }

    bool has_time_for_pass() { return !search_.passed(search_.time.of_beam(search_.order.size())); }

    // A pass of the beam, and what its ends are refined to. Later ones freeze what is not worth deciding anew.
    void make_pass(int64_t number) {
        PassResult found =
            pass({number, search_.effort.looks_ahead(number)}, Plans(search_.options.plans));
        if (!found.best) return;
        freeze(found.best->nest);
        take(best_climbed(search_, starts(std::move(found)), search_.time.limit()));
        search_.log.info("pass " + std::to_string(number + 1) + ": predicted " +
                         std::to_string(best_->seconds * 1e3) + " ms");
        freeze(best_->nest);
    }

    // The best state of the pass, and the best of other structures.
    std::vector<BeamState> starts(PassResult found) const {
        const auto most = static_cast<size_t>(std::max<int64_t>(1, search_.effort.starts));
        std::vector<BeamState> starts{std::move(*found.best)};
        std::unordered_set<uint64_t> known{coarse_structure(starts[0].nest)};
        for (BeamState &state : found.last) {
            if (starts.size() == most) break;
            if (known.insert(coarse_structure(state.nest)).second)
                starts.push_back(std::move(state));
        }
        return starts;
    }

    // What a pass ends with is kept in mind.
    PassResult pass(const PassKind &kind, const Plans &plans) {
        PassResult found = run_pass(search_, kind, plans);
        for (const BeamState &state : found.last) {
            alternatives_.add(state);
            candidates_.add(state);
            if (state.seconds <= as_good * found.best->seconds) ends_.push_back(state);
        }
        return found;
    }

    BeamState refined(BeamState state) {
        return climbed(search_, std::move(state), search_.time.limit());
    }

    // A complete state that the search ends with, perhaps the best.
    void take(BeamState found) {
        alternatives_.add(found);
        candidates_.add(found);
        ends_.push_back(found);
        if (found < *best_) best_ = std::move(found);
    }

    // From here on, Funcs that are not worth deciding anew keep their decisions of `complete`.
    void freeze(const LoopNest &complete) {
        const double share = search_.effort.frozen_share;
        if (share <= 0) return;
        search_.frozen = Freezing(complete, first().model().explain(complete), share);
        search_.log.debug("frozen: " + std::to_string(search_.frozen.count()) + " of " +
                          std::to_string(search_.order.size()) + " Funcs");
    }

    // Only once, at the end, against the best of all passes: tolerances must not add up.
    void take_simplest(double most_seconds) {
        const BeamState fastest = *best_;
        const double limit =
            std::min(as_good * fastest.seconds, std::max(fastest.seconds, most_seconds));
        best_ = economised(search_, fastest, limit, search_.time.limit());
        best_ = simplest(ends_, *best_, limit);
        if (best_->nest.hash() != fastest.nest.hash())
            search_.log.info("as good and simpler: " + std::to_string(best_->seconds * 1e3) +
                             " ms instead of " + std::to_string(fastest.seconds * 1e3) +
                             ", compiles in about " + std::to_string(best_->compile_seconds) +
                             " s instead of " + std::to_string(fastest.compile_seconds));
    }

    SearchResult result() {
        SearchResult result{best_->nest, first().model().explain(best_->nest), {}, {}, {}};
        result.shallower = shallower(best_->nest);
        result.others = candidates_.beside(best_->nest);
        add_other_ways(result);
        search_.statistics.add(search_.workers.statistics());
        result.statistics = search_.statistics;
        result.statistics.seconds_total = watch_.seconds();
        return result;
    }

    // Schedules of half the depth of `best`, and of a quarter.
    std::vector<LoopNest> shallower(const LoopNest &best) {
        std::vector<LoopNest> found;
        for (int depth = nesting_depth(best); depth > 0 && found.size() < most_shallower;) {
            depth /= 2;
            const LoopNest made = flattened(best, depth, search_.hardware);
            const BeamState *known = alternatives_.at_most(depth);
            const bool is_better = known && *known < first().evaluated_at_any_size(made);
            found.push_back(is_better ? known->nest : made);
        }
        return found;
    }

    // Of the candidates the last give way: tensor cores and ordinary loops should both be measured where they are near.
    void add_other_ways(SearchResult &result) const {
        const SearchOptions &options = search_.options;
        if (options.candidates <= 1 || options.require_tensor_cores) return;
        const size_t room = static_cast<size_t>(options.candidates) - 1;
        std::vector<LoopNest> ways = near_other_ways(result.nest, search_.hardware, options);
        if (ways.size() > room)
            ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(room), ways.end());
        const size_t kept = std::min(result.others.size(), room - ways.size());
        result.others.erase(result.others.begin() + static_cast<std::ptrdiff_t>(kept),
                            result.others.end());
        for (LoopNest &way : ways) result.others.push_back(std::move(way));
    }

    const Stopwatch watch_;
    SearchContext search_;
    std::optional<BeamState> best_;  // from begin_plainly() on
    std::vector<BeamState> ends_;    // complete states, among which is the result
    Alternatives alternatives_;
    Candidates candidates_{static_cast<size_t>(search_.options.candidates)};
};

}  // namespace

SearchResult search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                    const Effort &effort, const Log &log) {
    return Search(graph, hardware, options, effort, log).run();
}

SearchResult search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                    const Log &log) {
    return search(graph, hardware, options, effort(graph, options, hardware.gpu), log);
}

LoopNest lightened(const LoopNest &complete, Hardware hardware, const SearchOptions &options) {
    const StageGraph &graph = complete.graph();
    const double seconds = CompileModel(graph, *hardware.cpu).evaluate(complete).seconds();
    const Log silent;
    SearchContext search(graph, hardware, options, effort(graph, options, hardware.gpu), silent,
                         {0, light_share * seconds});
    return climbed(search, search.workers.first().evaluated_at_any_size(complete),
                   search.time.limit())
        .nest;
}

SearchResult redecided(const LoopNest &complete, std::span<const FuncId> free, Hardware hardware,
                       const SearchOptions &options) {
    const StageGraph &graph = complete.graph();
    const Log silent;
    SearchContext search(graph, hardware, options, effort(graph, options, hardware.gpu), silent,
                         compile_budget(graph, hardware, options));
    search.frozen = Freezing(complete, free);
    BeamState best = search.workers.first().evaluated_at_any_size(complete);
    const PassResult found = run_pass(search, {}, Plans({complete}));
    if (found.best) best = std::min(best, *found.best);
    return {
        best.nest, search.workers.first().model().explain(best.nest), search.statistics, {}, {}};
}

}  // namespace cryolite
