// How many states a step of a pass may carry on. It is the width that Effort asks for, unless the pass's remaining
// work would not last to its last Func; then it is as wide as the work allows. Otherwise the time limit would cut
// the pass, and the Funcs beyond would not be searched at all. The unit of work is Funcs priced
// (CostModel::funcs_priced()), not states: where Funcs are fused deeply a state takes ten times as long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cryolite {

class Pace {
public:
    static constexpr uint64_t unlimited = std::numeric_limits<uint64_t>::max();
    static constexpr int64_t narrowest_beam = 4;  // unless the beam is narrower anyway

    Pace(int64_t widest, int64_t narrowest, uint64_t work)
        : widest_(widest), narrowest_(std::min(narrowest, widest)), left_(work) {}

    // Takes the `work` of a step on `items` into account. Returns how many items each of the `steps_left` may
    // have, if each item takes as much work as these did.
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
