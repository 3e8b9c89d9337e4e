// How wide a step of a pass is: as wide as Effort asks for, while the work that is left to the pass carries
// it to its last Func at that width, else as wide as it does. Without it the time limit would cut the pass,
// and leave all Funcs beyond without a search. Work is counted in Funcs priced (CostModel::funcs_priced()):
// of a pipeline that is fused deeply a state takes ten times as long as of a short one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cryolite {

class Pace {
public:
    static constexpr uint64_t unlimited = std::numeric_limits<uint64_t>::max();
    static constexpr int64_t narrowest_beam = 4;  // unless the beam is narrower from the start

    Pace(int64_t widest, int64_t narrowest, uint64_t work)
        : widest_(widest), narrowest_(std::min(narrowest, widest)), left_(work) {}

    // After a step that took `work` for `items`, with `steps_left` to go: how many items the next one may
    // have, if each takes as much as those before.
    int64_t width(uint64_t work, size_t items, size_t steps_left) {
        if (left_ == unlimited) return widest_;
        left_ -= std::min(left_, work);
        if (steps_left == 0 || work == 0) return widest_;
        const double per_item =
            static_cast<double>(work) / static_cast<double>(std::max<size_t>(1, items));
        const double affordable =
            static_cast<double>(left_) / static_cast<double>(steps_left) / per_item;
        return std::clamp(static_cast<int64_t>(std::min(affordable, static_cast<double>(widest_))),
                          narrowest_, widest_);
    }

private:
    int64_t widest_, narrowest_;
    uint64_t left_;
};

}  // namespace cryolite
