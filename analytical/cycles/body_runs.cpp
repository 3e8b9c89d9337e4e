#include "analytical/cycles/body_runs.h"

#include <algorithm>
#include <cmath>

#include "code/kernel/cut_parts.h"
#include "code/stage/split_tails.h"

namespace cryolite {

BodyRuns body_runs(const LoopNest &schedule, const StageCode &code) {
    const InnerLoops &in = code.inner;
    double vectors = 1;  // whole ones of a row
    double rows = 1 / in.unroll_product;
    BodyRuns runs;
    for (size_t d = 0; d < code.stage->loops.size(); d++) {
        const auto extent = static_cast<double>(
            computed_extent(schedule.graph(), *code.nest, d, code.holds_others));
        if (static_cast<int>(d) != in.vector_dim) {
            rows *= extent;
            continue;
        }
        vectors = std::floor(extent / in.lanes);
        runs.all_rows_end = extent > vectors * in.lanes;
    }
    runs.whole = rows * vectors;
    runs.ending = runs.all_rows_end ? rows : 0;
    if (in.lanes == 1) return runs;
    // In a cut part the last vector of each row has masks, or all vectors of the last rows that are joined. The part
    // counts as many bodies as any other, since all other terms count it as one.
    const auto mask = [&](int dim, int points, double last) {
        if (dim < 0) return;
        const CutPart cut = cut_part(schedule, code, static_cast<size_t>(dim));
        if (cut.share == 0 || cut.extent % points == 0) return;
        const double masked = std::min(runs.whole, cut.share * last);
        runs.whole -= masked;
        runs.ending += masked;
    };
    if (!runs.all_rows_end) mask(in.vector_dim, in.lanes, rows);
    if (in.joined > 1)
        mask(
            in.joined_dim, in.joined,
            rows * vectors * in.joined /
                static_cast<double>(code.nest->range[static_cast<size_t>(in.joined_dim)].extent()));
    return runs;
}

}  // namespace cryolite
