#include "autotune/tune/tune_budget.h"

#include <algorithm>
#include <limits>

namespace cryolite {
namespace {

constexpr double usual_batch = 80;  // OOPSLA 2021, section 6.1
constexpr double smallest_batch = 24, fewest_rounds = 6;
constexpr double usual_seconds_per_schedule = 2;  // until the first group was built and measured
// Of the budget, for the last measurement and what goes with it. The fastest may have to be built again.
constexpr double most_reserved = 0.1;
constexpr double reserve_factor = 2;

}  // namespace

double TuneBudget::spent_seconds() const { return start_.seconds(); }

double TuneBudget::left_seconds() const {
    if (rules_.seconds <= 0) return std::numeric_limits<double>::infinity();
    return rules_.seconds - spent_seconds() -
           std::min(reserve_factor * rules_.final_seconds, most_reserved * rules_.seconds);
}

bool TuneBudget::is_spent(int64_t tried) const {
    return left_seconds() < 0 || (rules_.schedules > 0 && tried >= rules_.schedules);
}

size_t TuneBudget::batch() const {
    if (rules_.batch > 0) return rules_.batch;
    double size = usual_batch;
    if (rules_.schedules > 0)
        size = std::min(size, static_cast<double>(rules_.schedules) / fewest_rounds);
    if (rules_.seconds > 0)
        size = std::min(size, rules_.seconds / fewest_rounds /
                                  (seconds_per_schedule_ > 0 ? seconds_per_schedule_
                                                             : usual_seconds_per_schedule));
    return static_cast<size_t>(std::max(smallest_batch, size));
}

size_t TuneBudget::group(int64_t tried) const {
    double most = static_cast<double>(rules_.group);
    if (rules_.schedules > 0) most = std::min(most, static_cast<double>(rules_.schedules - tried));
    if (rules_.seconds > 0)
        most = std::min(
            most, seconds_per_schedule_ > 0 ? left_seconds() / seconds_per_schedule_ : most / 2);
    return static_cast<size_t>(std::max(1.0, most));
}

void TuneBudget::note_group(size_t schedules, double seconds) {
    seconds_per_schedule_ = seconds / static_cast<double>(std::max<size_t>(1, schedules));
}

}  // namespace cryolite
