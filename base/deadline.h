// When work has to end. A deadline is a value that is handed down: whoever works asks it often, and stops
// by itself. The clock can be given, so that tests need no time.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <utility>

namespace cryolite {

class Deadline {
public:
    // Seconds since any start; it never goes backwards. Threads ask it at the same time.
    using Clock = std::function<double()>;

    // Never passes.
    Deadline() = default;

    static Deadline after(double seconds, Clock clock = steady_seconds) {
        Deadline d;
        d.clock_ = std::move(clock);
        d.end_ = d.clock_() + seconds;
        return d;
    }

    // Seconds; none or fewer once it has passed, infinity where it never does.
    double left() const { return clock_ ? end_ - clock_() : endless; }
    bool passed() const { return left() <= 0; }

    // This one or so many seconds from now, whichever comes first, by the same clock.
    Deadline at_most(double seconds) const {
        Deadline d = after(seconds, clock_ ? clock_ : Clock(steady_seconds));
        if (clock_) d.end_ = std::min(d.end_, end_);
        return d;
    }

    // So many seconds before this one.
    Deadline earlier(double seconds) const {
        Deadline d = *this;
        d.end_ -= seconds;
        return d;
    }

private:
    static constexpr double endless = std::numeric_limits<double>::infinity();

    static double steady_seconds() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    Clock clock_;
    double end_ = endless;
};

}  // namespace cryolite
