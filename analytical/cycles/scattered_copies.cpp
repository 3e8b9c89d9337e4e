#include "analytical/cycles/scattered_copies.h"

#include <algorithm>

#include "graph/facts/scatters.h"

namespace cryolite {

std::optional<ScatteredCopies> scattered_copies(const Stage &stage, const InnerLoops &in,
                                                int lanes) {
    constexpr double most = 4;
    if (lanes > 1) return std::nullopt;
    for (const UnrolledLoop &u : in.unrolled)
        if (stage.loops[u.dim].is_reduction && u.factor > 1 && scatters_along(stage, u.dim))
            return ScatteredCopies{u.dim, u.factor, std::min(most, u.factor)};
    return std::nullopt;
}

double arithmetic_left(const ScatteredCopies &c) {
    constexpr double saved = 0.5;  // so that the histogram of the header comes out
    return 1 - saved * c.together / c.copies;
}

double loads_left(const ScatteredCopies &c, const LoopNest &schedule, const Stage &stage,
                  const LoadGroup &load) {
    if (load.is_self || load.gather ||
        lane_stride(schedule, stage.id, load, c.loop, static_cast<int>(c.copies)) != 1)
        return 1;
    return (c.copies - c.together + 1) / c.copies;
}

}  // namespace cryolite
