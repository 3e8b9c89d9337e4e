// How the time of a search is shared out. Passes leave some for refinement, refining a given start leaves most for the
// passes, and a beam that runs out of time goes on with its best state alone.
#pragma once

#include <algorithm>

#include "search/options.h"

namespace cryolite {

class TimeBudget {
public:
    explicit TimeBudget(const SearchOptions &options)
        : limit_(options.deadline.at_most(options.time_limit_seconds)),
          refinement_seconds_(limit_.left() * refinement_share) {}

    // For passes and refinement.
    const Deadline &limit() const { return limit_; }
    // Sets time aside for what comes after them.
    void reserve(double seconds) { limit_ = limit_.earlier(seconds); }

    // For refining a start that was given.
    Deadline of_start() const { return limit_.earlier(limit_.left() * start_share); }
    // With this many Funcs left, only the best state of the beam goes on after this deadline.
    Deadline of_beam(size_t funcs) const {
        return limit_.earlier(std::max(
            refinement_seconds_, hurry_factor * seconds_per_state_ * static_cast<double>(funcs)));
    }

    // What expanding a state took lately, on one thread.
    void note_seconds_per_state(double seconds) { seconds_per_state_ = seconds; }

private:
    // A pass leaves at least this share of the time to refinement.
    static constexpr double refinement_share = 0.2;
    // Refining a given start leaves at least the rest of this share of the time to the passes.
    static constexpr double start_share = 0.6;
    // A pass that carries on its best state alone takes at most this many times the latest seconds per state.
    static constexpr double hurry_factor = 2;

    Deadline limit_;
    const double refinement_seconds_;
    double seconds_per_state_ = 0;
};

}  // namespace cryolite
