#include "search/refinement/climb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/random.h"
#include "search/refinement/refine.h"

namespace cryolite {
namespace {

constexpr uint64_t most_rounds = 16;
// Hill climbing seldom takes more. So many are kept for the best start before others get any.
constexpr uint64_t usual_rounds = 8;
// A round that ends above this share of the cost gained nothing.
constexpr double least_gain = 0.995;

// What climbs teach each other in one round, by Func: they draw the same, and their states are much alike.
using RoundLessons = std::vector<PlaceLessons>;

class Climb {
public:
    Climb(SearchContext &search, BeamState start, const Deadline &end, uint64_t end_of_work)
        : search_(search), end_(end), end_of_work_(end_of_work), best_(std::move(start)) {}

    // One round over all Funcs.
    void climb(RoundLessons &lessons) {
        begin();
        const double before = best_.seconds;
        for (size_t i = 0; i < search_.order.size() && !is_over(); i++)
            change(i, &lessons[i], [&](const Refinement &refinement) {
                return refinement.changes(i, random_.fork("refine", round_).fork("func", i),
                                          lessons[i]);
            });
        round_++;
        rounds_without_gain_ = best_.seconds > before * least_gain ? rounds_without_gain_ + 1 : 0;
    }

    bool has_ended() const {
        return round_ >= most_rounds || rounds_without_gain_ >= 2 || is_over();
    }

    // The result, with what it found last tried for all twins.
    BeamState finished() {
        begin();
        for (size_t i = 0; i < search_.order.size() && !search_.passed(end_); i++)
            change(i, nullptr, [&](const Refinement &refinement) {
                return refinement.changes_by_twins(FuncId(i));
            });
        return std::move(best_);
    }

    const BeamState &best() const { return best_; }

private:
    bool is_over() const { return search_.passed(end_) || search_.workers.work() >= end_of_work_; }

    void begin() {
        if (!near_) near_ = search_.workers.first().model().costed(best_.nest, best_.parent.get());
    }

    // Takes the best of a Func's changes, if it is better. lessons: gets what was tried; may be null.
    template <typename Changes>
    void change(size_t func, PlaceLessons *lessons, Changes changes_of) {
        if (search_.frozen.holds(FuncId(func))) return;
        const Refinement refinement(best_.nest, search_.hardware, search_.twins,
                                    search_.effort.tilings, search_.effort.redraw);
        const std::vector<Change> changes = changes_of(refinement);
        std::vector<std::optional<BeamState>> tried(changes.size());
        std::vector<double> seconds(changes.size(), std::numeric_limits<double>::infinity());
        search_.workers.in_parallel(changes.size(), [&](Expander &worker, size_t k) {
            if (end_.passed()) return;
            std::optional<LoopNest> nest = refinement.with(changes[k]);
            if (nest) tried[k] = worker.evaluated(std::move(*nest), near_);
            if (tried[k]) seconds[k] = tried[k]->seconds;
            if (tried[k] && !(*tried[k] < best_)) tried[k].reset();
            if (tried[k] && changes[k].is_small && !is_worth_compiling(*tried[k], best_))
                tried[k].reset();
        });
        if (lessons != nullptr) learn(changes, seconds, *lessons);
        const uint64_t unchanged = best_.nest.hash();
        for (std::optional<BeamState> &t : tried)
            if (t && *t < best_) best_ = std::move(*t);
        if (best_.nest.hash() != unchanged)
            near_ = search_.workers.first().model().costed(best_.nest, near_.get());
    }

    // Changes to one place follow each other.
    static void learn(const std::vector<Change> &changes, const std::vector<double> &seconds,
                      PlaceLessons &lessons) {
        for (size_t first = 0, k = 0; first < changes.size(); first = k) {
            std::vector<TriedLoops> tried;
            for (; k < changes.size() && changes[k].where == changes[first].where; k++)
                if (std::isfinite(seconds[k])) tried.push_back({changes[k].loops, seconds[k]});
            if (changes[first].where) lessons.learn(*changes[first].where, std::move(tried));
        }
    }

    SearchContext &search_;
    const Deadline &end_;
    const uint64_t end_of_work_;
    Random random_{static_cast<uint64_t>(search_.options.seed)};
    BeamState best_;
    std::shared_ptr<const CostedNest> near_;  // the costs of best_; null: not asked for yet
    uint64_t round_ = 0;
    int rounds_without_gain_ = 0;
};

// Of states that cost the same it does not matter in which order they came.
bool comes_first(const BeamState &a, const BeamState &b) {
    if (a < b || b < a) return a < b;
    return a.nest.hash() < b.nest.hash();
}

using Climbs = std::vector<std::unique_ptr<Climb>>;

// How many climbs the work lasts for, if a round of one takes so much of it. Each after the first takes two rounds on
// average: half of them end after one, a quarter after two.
size_t affordable_climbs(uint64_t work, uint64_t of_round) {
    const uint64_t rounds = work / std::max<uint64_t>(1, of_round);
    return rounds <= usual_rounds ? 1 : static_cast<size_t>(1 + (rounds - usual_rounds) / 2);
}

// Of climbs that have met one goes on, and of those that are left the better half.
void keep_better_half(Climbs &climbs) {
    std::ranges::sort(
        climbs, [](const auto &a, const auto &b) { return comes_first(a->best(), b->best()); });
    const auto met = std::ranges::unique(climbs, [](const auto &a, const auto &b) {
        return a->best().nest.hash() == b->best().nest.hash();
    });
    climbs.erase(met.begin(), met.end());
    climbs.resize((climbs.size() + 1) / 2);
}

}  // namespace

BeamState climbed(SearchContext &search, BeamState state, const Deadline &end) {
    std::vector<BeamState> starts;
    starts.push_back(std::move(state));
    return best_climbed(search, std::move(starts), end);
}

BeamState best_climbed(SearchContext &search, std::vector<BeamState> starts, const Deadline &end) {
    std::ranges::sort(starts, comes_first);
    if (!search.effort.refine) return std::move(starts[0]);
    const uint64_t before = search.workers.work(), allowed = search.effort.refinement_work;
    Climbs climbs;
    for (BeamState &start : starts)
        climbs.push_back(std::make_unique<Climb>(search, std::move(start), end, before + allowed));
    RoundLessons lessons(search.order.size());
    climbs[0]->climb(lessons);
    const size_t affordable = affordable_climbs(allowed, search.workers.work() - before);
    climbs.resize(std::min(climbs.size(), affordable));
    for (size_t i = 1; i < climbs.size(); i++) climbs[i]->climb(lessons);
    keep_better_half(climbs);
    const auto has_ended = [](const auto &climb) { return climb->has_ended(); };
    while (!std::ranges::all_of(climbs, has_ended)) {
        lessons.assign(search.order.size(), {});
        for (const auto &climb : climbs)
            if (!climb->has_ended()) climb->climb(lessons);
        keep_better_half(climbs);
    }
    return climbs[0]->finished();
}

}  // namespace cryolite
