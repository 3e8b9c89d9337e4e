// What a predicate (RDom::where) says of the loops of a stage, where it compares sums of them with constants.
#pragma once

#include <cstdint>
#include <vector>

namespace cryolite {

// Holds in every iteration that the predicate lets pass, at all sizes and for all parameters: the sum over all loops l
// of coefficient[l] * (value of loop l) is at least `least`. r.x > r.z says that r.x - r.z is at least 1.
struct LoopCondition {
    std::vector<int64_t> coefficient;  // one per loop of the stage
    int64_t least = 0;
    bool operator==(const LoopCondition &) const = default;
};

}  // namespace cryolite
