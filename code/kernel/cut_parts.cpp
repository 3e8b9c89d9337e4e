#include "code/kernel/cut_parts.h"

#include "code/regions/regions.h"
#include "code/stage/split_tails.h"

namespace cryolite {

CutPart cut_part(const LoopNest &schedule, const StageCode &code, size_t dim) {
    const StageGraph &graph = schedule.graph();
    const Func &func = graph.func(code.stage->func);
    const FuncNest &placed = schedule.at(func.id);
    const StageLoop &walked = code.stage->loops[dim];
    if (!placed.compute_at || placed.is_companion || walked.is_reduction ||
        may_round_up(func, walked))
        return {};
    const LoopName site = *placed.compute_at;
    const StageNest &around = schedule.stage_nest(site.stage);
    const int position = schedule.position(site);
    for (int i = 0; i <= position; i++) {
        const LoopLevel &outermost = around.loops[static_cast<size_t>(i)];
        const auto d = static_cast<size_t>(outermost.name.dim);
        if (outermost.name.level > 0 || !is_guarded(graph, around, d, true)) continue;
        Intervals ranges = around.range;
        narrow_to_iteration(around, position, ranges);
        const Interval &all = around.range[d];
        const int64_t part = ranges[d].extent();
        ranges[d] = {all.min + (all.extent() - 1) / part * part, all.max};
        const Box last = IterationRegions(schedule, site, ranges).of(func.id);
        const int64_t extent = last[static_cast<size_t>(walked.func_dim)].extent();
        if (extent >= code.nest->range[dim].extent()) continue;
        const int64_t parts = (all.extent() + part - 1) / part;
        return {1 / static_cast<double>(parts), extent};
    }
    return {};
}

}  // namespace cryolite
