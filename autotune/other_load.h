// How busy the processors were with other work than ours, while candidates were timed.
#pragma once

#include <optional>
#include <span>

#include "base/stopwatch.h"

namespace cryolite {

class OtherLoad {
public:
    // Begins now. ours: the processes that run for us, beside this one and those that it has reaped.
    explicit OtherLoad(std::span<const int> ours);

    // Seconds of processors per second of the clock since then that neither this process, nor its children, nor `ours`
    // have used: 1 is one core busy all the time. All cores of the computer count. `ours` as above, without those that
    // have been reaped since. Nothing where the system does not say (all but Linux). The system counts in ticks of some
    // milliseconds, so that a short time says little.
    std::optional<double> cores(std::span<const int> ours) const;

private:
    struct Use {
        double busy_seconds = 0, our_seconds = 0;
    };
    static std::optional<Use> use(std::span<const int> ours);

    Stopwatch start_;
    std::optional<Use> use_;
};

}  // namespace cryolite
