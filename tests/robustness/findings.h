// What the report says of a pipeline: figures of all contenders and what is not as it should be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/robustness/lane.h"

namespace cryolite::robustness {

// The aims on two cores, beside those of trial.h: what lowering and LLVM may take, and how much slower than
// another schedule ours may be.
constexpr double most_compile_seconds = 60, most_over_peer = 1.2, most_over_hand = 1.5;

struct Result {
    Contender contender;
    LaneReport report;
    std::optional<double> run_seconds;  // of a call: the least of all samples
};

struct Findings {
    std::string theme, name;
    std::vector<Result> results;  // ours is the first

    const Result &ours() const { return results.front(); }
    // Our run time over the contender's, where both were run.
    std::optional<double> ratio_to(const Result &other) const;
    // Whatever the machine does besides: a failure, a fallback, wrong values, CPU time or memory beyond the
    // limits.
    std::vector<std::string> faults() const;
    // What depends on a clock: misses of the aims that a busy machine can cause.
    std::vector<std::string> misses() const;
};

// Each contender in turn, then runs of all by turns.
Findings measure(const WorkloadMaker &maker, const std::vector<Contender> &contenders,
                 const LaneLimits &limits, int rounds);

}  // namespace cryolite::robustness
