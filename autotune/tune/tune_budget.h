// What the budget of a run has room for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stopwatch.h"

namespace cryolite {

struct BudgetRules {
    // 0: no limit. Of one run: a run that goes on has them anew.
    double seconds = 0;
    int64_t schedules = 0;
    double final_seconds = 0;  // that timing the fastest takes at the end
    size_t batch = 0;          // of a round; 0: as the budget says
    size_t group = 1;          // most schedules that are measured together
};

class TuneBudget {
public:
    // The run begins now.
    explicit TuneBudget(const BudgetRules &rules) : rules_(rules) {}

    double spent_seconds() const;
    // Whether what is left is for the end. tried: schedules in this run.
    bool is_spent(int64_t tried) const;

    // Schedules of a round: fewer than the usual 80 where the budget would not last for several rounds, since a round
    // learns from those before.
    size_t batch() const;
    // Schedules of a group: fewer than asked for where the budget ends before, at the pace of the last group.
    size_t group(int64_t tried) const;
    void note_group(size_t schedules, double seconds);

private:
    double left_seconds() const;

    const BudgetRules rules_;
    const Stopwatch start_;
    double seconds_per_schedule_ =
        0;  // to build and measure one, in the last group; 0: there was none
};

}  // namespace cryolite
