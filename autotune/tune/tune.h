// The loop of the tuner: draw, build, verify, measure, learn, again.
//
//   round 0   plain, one shot, given schedules, short searches       anchor: one shot, or plain where that fails
//   round n   the plugin fits the model to all samples; one search with it, short searches, changes of the fastest
//   each      groups: built side by side, then measured alone by turns beside the anchor; then the fastest again
//   end       the fastest once more and longer, beside plain and by hand
//
// Everything that was found out is in the store before the next thing starts. So a tuner that is killed loses what is
// in flight, and the next run goes on with the same round.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autotune/store/store.h"
#include "autotune/tune/standings.h"
#include "autotune/tune/workshop.h"

namespace cryolite {

struct TuneRules {
    // 0: no limit. Of this run: one that goes on has them anew.
    double budget_seconds = 0;
    int64_t budget_samples = 0;
    size_t batch = 0;   // of a round; 0: by the budget (tune_budget.h)
    size_t group = 16;  // measured together
    uint64_t seed = 0;
    double seconds_per_candidate = 0.3;  // of timing
    double final_seconds = 10;           // of timing the fastest, at the end
    double cut_off =
        3;  // candidates slower than the fastest beside them by this factor are not timed
    int patience = 4;  // rounds in a row that gain next to nothing; 0: none are too many
    std::vector<std::string> given;  // traces to try first
    bool by_hand = false;            // time what the generator schedules itself, too
    std::string cryolite;            // version, kept with each sample
};

// What a user looks at.
struct TuneProgress {
    std::string doing;  // "drawing", "building 3 of 16", ...
    int64_t round = 0;
    int64_t tried = 0, tried_in_this_run = 0;
    std::map<SampleStatus, int64_t> by_status;
    std::optional<Standing> best, one_shot, plain, by_hand;
    double rank_correlation = 0;  // of the latest fit
    double spent_seconds = 0, budget_seconds = 0;
    int64_t budget_samples = 0;
    bool quiet = true;  // during the latest measurement
};

class TuneObserver {
public:
    virtual ~TuneObserver() = default;
    virtual void progress(const TuneProgress &) {}
    virtual void sampled(const Sample &) {}
    virtual void say(const std::string &) {}
};

struct TuneResult {
    int64_t problem_number = 0;
    Problem problem;
    std::string ended_by;  // "budget", "plateau", "stopped", "no more schedules", "an error"
    std::string failure;   // of "an error": what went wrong
    std::optional<Standing> best, one_shot, plain, by_hand;
    std::string weights;                    // JSON
    std::vector<double> rank_correlations;  // [round]
    int64_t samples = 0;                    // in the store, of this problem
    double spent_seconds = 0;
};

// Errors: what nothing can be measured without (the generator, the plain schedule, the store). Once something was
// measured, an error ends the loop and is part of the result. stop: ends the loop soon.
Result<TuneResult> tune(Workshop &workshop, Store &store, const TuneRules &rules,
                        TuneObserver &observer, const std::atomic<bool> &stop);

}  // namespace cryolite
