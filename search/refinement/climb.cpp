#include "search/refinement/climb.h"

#include <optional>
#include <utility>

#include "base/random.h"
#include "search/refinement/refine.h"

namespace cryolite {
namespace {

constexpr uint64_t most_rounds = 16;
// A round that ends above this share of the cost gained nothing.
constexpr double least_gain = 0.995;

class Climb {
public:
    Climb(SearchContext &search, BeamState start, const Deadline &end)
        : search_(search), end_(end), best_(std::move(start)) {}

    BeamState run() {
        near_ = search_.workers.first().model().costed(best_.nest, best_.parent.get());
        const Random random(static_cast<uint64_t>(search_.options.seed));
        const uint64_t end_of_work = search_.workers.work() + search_.effort.refinement_work;
        const auto is_over = [&] {
            return search_.passed(end_) || search_.workers.work() >= end_of_work;
        };
        int rounds_without_gain = 0;
        for (uint64_t round = 0; round < most_rounds && rounds_without_gain < 2 && !is_over();
             round++) {
            const double before = best_.seconds;
            for (size_t i = 0; i < search_.order.size() && !is_over(); i++)
                change(i, [&](const Refinement &refinement) {
                    return refinement.changes(i, random.fork("refine", round).fork("func", i));
                });
            rounds_without_gain = best_.seconds > before * least_gain ? rounds_without_gain + 1 : 0;
        }
        for (size_t i = 0; i < search_.order.size() && !search_.passed(end_); i++)
            change(i, [&](const Refinement &refinement) {
                return refinement.changes_by_twins(FuncId(i));
            });
        return std::move(best_);
    }

private:
    // Takes the best of a Func's changes, if it is better.
    template <typename Changes>
    void change(size_t func, Changes changes_of) {
        if (search_.frozen.holds(FuncId(func))) return;
        const Refinement refinement(best_.nest, search_.hardware, search_.twins,
                                    search_.effort.tilings, search_.effort.redraw);
        const std::vector<Change> changes = changes_of(refinement);
        std::vector<std::optional<BeamState>> tried(changes.size());
        search_.workers.in_parallel(changes.size(), [&](Expander &worker, size_t k) {
            if (end_.passed()) return;
            std::optional<LoopNest> nest = refinement.with(changes[k]);
            if (nest) tried[k] = worker.evaluated(std::move(*nest), near_);
            if (tried[k] && !(*tried[k] < best_)) tried[k].reset();
            if (tried[k] && changes[k].is_small && !is_worth_compiling(*tried[k], best_))
                tried[k].reset();
        });
        const uint64_t unchanged = best_.nest.hash();
        for (std::optional<BeamState> &t : tried)
            if (t && *t < best_) best_ = std::move(*t);
        if (best_.nest.hash() != unchanged)
            near_ = search_.workers.first().model().costed(best_.nest, near_.get());
    }

    SearchContext &search_;
    const Deadline &end_;
    BeamState best_;
    std::shared_ptr<const CostedNest> near_;  // the costs of best_
};

}  // namespace

BeamState climbed(SearchContext &search, BeamState state, const Deadline &end) {
    if (!search.effort.refine) return state;
    return Climb(search, std::move(state), end).run();
}

}  // namespace cryolite
