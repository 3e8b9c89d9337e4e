#include "featurize/inner_loops.h"

#include <algorithm>
#include <cmath>

namespace cryolite {

InnerLoops inner_loops(const StageNest &nest) {
    InnerLoops in;
    for (auto it = nest.loops.rbegin(); it != nest.loops.rend(); ++it) {
        const size_t dim = static_cast<size_t>(it->name.dim);
        if (it->kind == LoopKind::Vectorized) {
            in.vector_dim = it->name.dim;
            in.lanes = static_cast<int>(it->extent);
        } else if (it->kind == LoopKind::Unrolled) {
            in.unrolled.push_back({dim, static_cast<double>(it->extent)});
            in.unroll_product *= static_cast<double>(it->extent);
        } else if (in.serial_dim < 0 && it->extent > 1) {
            in.serial_dim = it->name.dim;
            in.serial_extent = static_cast<double>(it->extent);
        }
    }
    return in;
}

BorderLoop border_loop(const Stage &stage, const Func &func, const StageNest &nest) {
    BorderLoop border;
    if (nest.loops.empty() || nest.loops.back().kind != LoopKind::Vectorized) return border;
    const int16_t dim = nest.loops.back().name.dim;
    const StageLoop &loop = stage.loops[static_cast<size_t>(dim)];
    const Interval &range = nest.range[static_cast<size_t>(dim)];
    border.iteration = static_cast<double>(range.extent());
    for (const LoopLevel &l : nest.loops)
        if (l.name.dim == dim && l.extent > 1 && l.kind != LoopKind::Vectorized &&
            l.kind != LoopKind::Unrolled)
            border.iteration = static_cast<double>(l.span);
    const Interval &whole =
        loop.func_dim >= 0 ? func.root_region[static_cast<size_t>(loop.func_dim)] : range;
    border.row = std::max(1.0, static_cast<double>(whole.extent()));
    return border;
}

double border_share(const StageGraph &graph, const LoadGroup &load, size_t vector_dim,
                    const BorderLoop &loop) {
    if (loop.iteration == 0) return 0;
    const Func &producer = graph.func(load.producer);
    double outside = 0;
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        const double moved = std::abs(load.coefficient[d][vector_dim]) * loop.row;
        const auto there = static_cast<double>(producer.root_region[d].extent());
        if (moved > there) outside = std::max(outside, (moved - there) / moved);
    }
    return std::min(1.0, outside + 2 * loop.iteration / loop.row);
}

double loads_per_body(const LoadGroup &load, const InnerLoops &in) {
    double count = load.count;
    for (const UnrolledLoop &u : in.unrolled) {
        if (!load.depends_on[u.dim]) continue;
        const double rows = std::max(1.0, static_cast<double>(load.distinct_along[u.dim]));
        const double scale = count / std::max(1.0, load.count);
        count = scale * std::min(load.count * u.factor, rows * (load.count / rows + u.factor - 1));
    }
    return count;
}

}  // namespace cryolite
