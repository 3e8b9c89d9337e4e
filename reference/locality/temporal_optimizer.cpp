#include "reference/locality/temporal_optimizer.h"

#include <algorithm>
#include <limits>

#include "reference/locality/loop_order.h"
#include "reference/locality/tile_sizes.h"

namespace cryolite::locality {
namespace {

constexpr int64_t max_tilings = 100'000;
constexpr double infinity = std::numeric_limits<double>::infinity();

class TemporalSearch {
public:
    TemporalSearch(const PerfectNest &nest, const Machine &machine)
        : nest_(nest),
          machine_(machine),
          bypass_(use_nontemporal_stores(nest, machine)),
          runs_(nest, machine.line_bytes(), bypass_),
          bounds_(nest, machine, bypass_),
          column_(column_loop(nest)),
          required_(required_tiles(nest, machine)) {}

    Result<LocalityPlan> run() {
        std::vector<std::vector<int64_t>> sizes;
        for (size_t l = 0; l < nest_.loops.size(); l++)
            sizes.push_back(tile_sizes(nest_.loops[l].bound, l == column_ ? column_granule() : 1));
        thin_out(sizes, max_tilings);
        std::vector<size_t> choice(sizes.size(), 0);
        for (;;) {
            tile_.clear();
            for (size_t l = 0; l < sizes.size(); l++) tile_.push_back(sizes[l][choice[l]]);
            consider();
            size_t l = 0;
            while (l < sizes.size() && ++choice[l] == sizes[l].size()) choice[l++] = 0;
            if (l == sizes.size()) break;
        }
        if (best_cycles_ == infinity)
            return Error{"no tile of the nest fits the caches of machine '" + machine_.name + "'"};
        return best_plan();
    }

private:
    // Elements of a line of the output: a narrower tile shares lines with its neighbour.
    int64_t column_granule() const {
        for (const Reference &r : nest_.references)
            if (r.writes) return std::max(1, machine_.line_bytes() / r.element_bytes);
        return 1;
    }

    void consider() {
        if (working_set_bytes(runs_, tile_) > thesis::usable_bytes(machine_, 1)) return;
        inter_.clear();
        intra_.clear();
        for (size_t l = 0; l < tile_.size(); l++) {
            if (tile_[l] < nest_.loops[l].bound) inter_.push_back(l);
            if (tile_[l] > 1) intra_.push_back(l);
        }
        std::optional<size_t> innermost_inter, outermost_intra;
        const double l2 = least_l2_misses(innermost_inter);
        if (l2 == infinity) return;
        const double cycles2 = thesis::miss_cycles(machine_, 1) * l2;
        if (cycles2 >= best_cycles_) return;
        const double l1 = least_l1_misses(outermost_intra);
        if (l1 == infinity) return;
        compared_++;
        const double cycles = thesis::miss_cycles(machine_, 0) * l1 + cycles2;
        if (cycles >= best_cycles_) return;
        // Ordered loops may leave no order at all, and many loops none that is tried.
        const bool may_have_none = has_ordered_loops() || intra_.size() > max_permuted_loops;
        if (may_have_none &&
            !nearest_order(nest_, tile_, wish_for(innermost_inter, outermost_intra))) {
            return;
        }
        best_cycles_ = cycles;
        best_tile_ = tile_;
        best_inter_ = innermost_inter;
        best_intra_ = outermost_intra;
    }

    // Over the choices of the innermost inter-tile loop.
    double least_l2_misses(std::optional<size_t> &chosen) const {
        if (inter_.empty()) {
            if (required_ > 1) return infinity;
            return expected_misses(runs_, make_tiling(nest_, tile_, {}, intra_), -1,
                                   machine_.l2_prefetch_lines > 0);
        }
        double least = infinity;
        for (size_t last : inter_) {
            const bool led = std::any_of(inter_.begin(), inter_.end(), [&](size_t l) {
                return (l != last || inter_.size() == 1) && may_lead(nest_, tile_, l, required_);
            });
            if (!led) continue;
            std::vector<size_t> order = inter_;
            std::swap(*std::find(order.begin(), order.end(), last), order.back());
            const Tiling tiling = make_tiling(nest_, tile_, order, intra_);
            const double misses = expected_misses(runs_, tiling, l2_reuse_level(tiling),
                                                  machine_.l2_prefetch_lines > 0);
            if (misses >= least) continue;
            least = misses;
            chosen = last;
        }
        return least;
    }

    // Over the choices of the outermost intra-tile loop.
    double least_l1_misses(std::optional<size_t> &chosen) {
        std::vector<std::optional<size_t>> choices;
        for (size_t l : intra_)
            if (l != column_ || intra_.size() == 1) choices.emplace_back(l);
        if (intra_.empty()) choices.emplace_back(std::nullopt);
        double least = infinity;
        for (const std::optional<size_t> first : choices) {
            std::vector<size_t> order = intra_;
            if (first) std::swap(*std::find(order.begin(), order.end(), *first), order.front());
            const Tiling tiling = make_tiling(nest_, tile_, inter_, order);
            const int level = l1_reuse_level(tiling);
            if (working_set_bytes(runs_, box_of(nest_, tiling, level)) >
                    thesis::usable_bytes(machine_, 0) ||
                !interference_allows(first)) {
                continue;
            }
            const double misses =
                expected_misses(runs_, tiling, level, machine_.l1_prefetch_lines > 0);
            if (misses >= least) continue;
            least = misses;
            chosen = first;
        }
        return least;
    }

    // Algorithm 1 for intra-tile loops, outermost first.
    bool accepts(std::span<const size_t> intra) {
        size_t rows = 0;  // loops that the column is not, from the inside out
        for (size_t i = intra.size(); i-- > 0 && rows < 2;) {
            if (intra[i] == column_) continue;
            if (tile_[intra[i]] > bounds_.largest(intra[i], rows, tile_)) return false;
            rows++;
        }
        return true;
    }

    // Is there an order with this outermost loop that algorithm 1 accepts?
    bool interference_allows(std::optional<size_t> first) {
        std::vector<size_t> rows;
        for (size_t l : intra_)
            if (l != column_ && l != first) rows.push_back(l);
        const auto has = [&](size_t l, size_t level) {
            return tile_[l] <= bounds_.largest(l, level, tile_);
        };
        const bool first_is_row = first && *first != column_;
        if (rows.empty()) return !first_is_row || has(*first, 0);
        if (rows.size() == 1) return has(rows[0], 0) && (!first_is_row || has(*first, 1));
        for (size_t a : rows)
            for (size_t b : rows)
                if (a != b && has(a, 0) && has(b, 1)) return true;
        return false;
    }

    bool has_ordered_loops() const {
        return std::any_of(nest_.loops.begin(), nest_.loops.end(),
                           [](const NestLoop &l) { return !l.reorderable; });
    }

    OrderWish wish_for(std::optional<size_t> innermost_inter,
                       std::optional<size_t> outermost_intra) {
        return {innermost_inter, outermost_intra, required_,
                [this](std::span<const size_t> intra) { return accepts(intra); }};
    }

    LocalityPlan best_plan() {
        tile_ = best_tile_;
        const std::optional<Tiling> order =
            nearest_order(nest_, tile_, wish_for(best_inter_, best_intra_));
        LocalityPlan plan = plan_for(nest_, machine_, Locality::Temporal, best_tile_, *order);
        plan.tilings_compared = compared_;
        return plan;
    }

    const PerfectNest &nest_;
    const Machine &machine_;
    const bool bypass_;
    const NestRuns runs_;
    TileBounds bounds_;
    const size_t column_;
    const int64_t required_;

    std::vector<int64_t> tile_;          // under consideration
    std::vector<size_t> inter_, intra_;  // its loops with more than one iteration
    double best_cycles_ = infinity;
    std::vector<int64_t> best_tile_;
    std::optional<size_t> best_inter_, best_intra_;
    int64_t compared_ = 0;
};

}  // namespace

Result<LocalityPlan> optimize_temporal(const PerfectNest &nest, const Machine &machine) {
    if (std::string defect = defect_of(nest); !defect.empty()) return Error{std::move(defect)};
    if (std::string defect = defect_of(machine); !defect.empty()) return Error{std::move(defect)};
    return TemporalSearch(nest, machine).run();
}

}  // namespace cryolite::locality
