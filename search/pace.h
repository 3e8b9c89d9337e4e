// How wide a pass is as it goes on: the beam that Effort asks for, while the states that are left to
// the pass carry it to its last Func at that width, else as wide as they do. Without it the time limit
// would cut the pass, and leave all Funcs beyond without a search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cryolite {

class Pace {
public:
    static constexpr uint64_t unlimited = std::numeric_limits<uint64_t>::max();
    static constexpr int64_t narrowest = 4;  // unless the beam is narrower from the start

    Pace(int64_t beam_size, uint64_t states) : widest_(beam_size), left_(states) {}

    // After a step that made `children` out of `expanded` states, with `steps_left` to go: how many of
    // the children go on, if each has as many children as those before.
    int64_t width(size_t children, size_t expanded, size_t steps_left) {
        if (left_ == unlimited) return widest_;
        left_ -= std::min<uint64_t>(left_, children);
        if (steps_left == 0 || children == 0) return widest_;
        const double per_state =
            static_cast<double>(children) / static_cast<double>(std::max<size_t>(1, expanded));
        const double affordable =
            static_cast<double>(left_) / static_cast<double>(steps_left) / per_state;
        return std::clamp(static_cast<int64_t>(affordable), std::min(narrowest, widest_), widest_);
    }

private:
    int64_t widest_;
    uint64_t left_;
};

}  // namespace cryolite
