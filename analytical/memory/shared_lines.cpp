#include "analytical/memory/shared_lines.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cryolite {
namespace {

// Bytes from one point of the Func to the next along a dimension.
double stride_bytes(const LoopNest &schedule, const Func &func, int dim) {
    const Box &region = schedule.at(func.id).store_region;
    double bytes = func.values.empty() ? 4 : func.values[0].bytes();
    for (int d : schedule.storage_order(func.id)) {
        if (d == dim) return bytes;
        if (static_cast<size_t>(d) < region.size())
            bytes *= static_cast<double>(region[static_cast<size_t>(d)].extent());
    }
    return bytes;
}

// Whether the iterations of a loop write the same points again, one after the other or as their data chooses.
bool comes_again(const Stage &stage, size_t loop) {
    return stage.loops[loop].is_reduction &&
           std::ranges::none_of(stage.stores, [&](const Access &store) {
               return std::ranges::any_of(store.index, [&](const IndexMap &i) {
                   return loop < i.coefficient.size() && !i.coefficient[loop].is_zero();
               });
           });
}

}  // namespace

double share_on_shared_lines(const LoopNest &schedule, const StageNest &nest, int line_bytes) {
    const StageGraph &graph = schedule.graph();
    const Stage &stage = graph.stage(nest.stage);
    const Func &func = graph.func(stage.func);
    if (std::ranges::none_of(nest.loops, [&](const LoopLevel &l) {
            return l.extent > 1 && comes_again(stage, static_cast<size_t>(l.name.dim));
        }))
        return 0;
    double share = 0;
    for (const LoopLevel &l : nest.loops) {
        const int dim = stage.loops[static_cast<size_t>(l.name.dim)].func_dim;
        if (l.kind != LoopKind::Parallel || l.extent <= 1 || dim < 0) continue;
        const double task_bytes = static_cast<double>(l.span) * stride_bytes(schedule, func, dim);
        // Halide's buffers begin where lines do.
        if (std::fmod(task_bytes, line_bytes) != 0)
            share = std::max(share, std::min(1.0, line_bytes / task_bytes));
    }
    return share;
}

}  // namespace cryolite
