// Which of several schedules is emitted: the best that Halide takes, in time.
//
// Lowering cannot be interrupted, may take for ever and has been seen to crash. So each schedule is tried
// in a child process that is killed at its limit. Once the best has used up a third of its time, the next
// one is tried beside it: should the best be given up, the answer for the next is there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"

namespace cryolite {

struct TrialLimits {
    Deadline deadline;            // of all
    double seconds_of_each = 30;  // of a processor
    // So long past the deadline those go on that have been tried for less, because other work had the
    // processors: they are given up once they have had until the deadline, counted in processor time.
    double starved_seconds = 0;
};

struct Trial {
    enum class Verdict { NotTried, Taken, Refused, GivenUp };
    Verdict verdict = Verdict::NotTried;
    std::string why;  // of Refused: what Halide said, or that it crashed
};

struct Trials {
    std::optional<size_t> taken;  // the first of those that pass; none: nothing passed
    std::vector<Trial> of;        // by schedule
};

// What speaks against schedule i; empty if Halide takes it. Called in a child process; in this one where
// there are no child processes, and then without a limit.
using Check = std::function<std::string(size_t i)>;

// Called in this process just before schedule i is tried: what few trials need is made then.
using Prepare = std::function<void(size_t i)>;

// The best schedule first. At most two are tried at the same time.
Trials try_schedules(size_t count, const Check &check, const TrialLimits &limits,
                     const Prepare &prepare = {});

}  // namespace cryolite
