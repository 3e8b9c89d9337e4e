#include "search/space/strided_sums.h"

#include "analytical/cycles/access_cycles.h"
#include "search/reads/index_walks.h"

namespace cryolite {
namespace {

// How far apart neighbours of the Func along the vectors' dimension read, where the reduction loop `l` walks between.
int64_t stride_of(const TilingSpace &s, const Stage &stage, size_t l) {
    const std::optional<size_t> points = loop_over(stage, row_dim(s.func));
    if (!points) return 1;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = s.graph.edge(e);
        const std::vector<int> &order = s.graph.func(edge.producer).storage_order;
        if (edge.is_self || order.empty()) continue;
        for (const Access &access : edge.accesses) {
            const IndexMap &row = access.index[static_cast<size_t>(order[0])];
            if (!moves_by_one(row, l) || !is_affine_in(row, *points)) continue;
            const Rational step = row.coefficient[*points];
            if (step.denominator == 1 && step.numerator > 1 && step.numerator <= most_picked)
                return step.numerator;
        }
    }
    return 1;
}

}  // namespace

std::optional<TilingTemplate::Part> strided_sum(const TilingSpace &s) {
    if (!picks_from_two(s.machine) || s.func.storage_order.empty()) return std::nullopt;
    for (const StageNest &nest : s.nest.stages) {
        const Stage &stage = s.graph.stage(nest.stage);
        for (size_t l = 0; l < stage.loops.size(); l++) {
            const StageLoop &loop = stage.loops[l];
            if (!loop.is_reduction || !loop.constant_range || !loop.reorderable ||
                loop.in_predicate)
                continue;
            const int64_t stride = stride_of(s, stage, l);
            if (stride > 1 && nest.range[l].extent() % stride == 0)
                return TilingTemplate::Part{stage.index, static_cast<int>(l), stride, false};
        }
    }
    return std::nullopt;
}

}  // namespace cryolite
