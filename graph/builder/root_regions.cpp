#include "graph/builder/root_regions.h"

#include <limits>
#include <optional>

namespace cryolite {
namespace {

// Halide's indices are 32 bits wide.
constexpr Interval kAnywhere{std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max()};

bool is_open(const Interval &i) {
    return RegionExpression::is_unbounded(i.min) || RegionExpression::is_unbounded(i.max);
}

}  // namespace

void fill_root_regions(std::vector<Func> &funcs, const std::vector<Stage> &stages,
                       const std::vector<Edge> &edges, const PipelineView &view,
                       const Estimates &estimates) {
    const auto estimate = [&](size_t f, size_t d) -> std::optional<Interval> {
        const int dimension = static_cast<int>(d);
        if (f < view.funcs.size()) return estimates.func_dimension(view.funcs[f], dimension);
        return estimates.input_dimension(view.inputs[f - view.funcs.size()], dimension);
    };
    for (size_t f = 0; f < funcs.size(); f++) {
        for (size_t d = 0; d < funcs[f].dims.size(); d++) {
            funcs[f].root_region[d] = estimate(f, d).value_or(kAnywhere);
        }
    }
    // A graph only for loop_ranges() and include_self_accesses().
    const StageGraph draft(funcs, stages, edges, 0);

    std::vector<Box> regions;
    for (const Func &f : funcs) {
        regions.push_back(f.is_output() ? f.root_region : Box(f.dims.size()));
    }
    for (size_t i = 0; i < funcs.size(); i++) {
        Func &func = funcs[i];
        Box &region = regions[i];
        for (size_t d = 0; d < region.size(); d++) {
            if (!is_open(region[d])) continue;
            if (const auto given = estimate(i, d)) {
                region[d] = *given;
            } else if (func.is_input()) {
                fail_missing_input_estimate(func.name, static_cast<int>(d));
            } else if (func.can_inline) {
                func.inline_only = true;  // its region, and that of what it reads there, stays open
            } else {
                fail_missing_func_estimate(view.funcs[i], static_cast<int>(d));
            }
        }
        draft.include_self_accesses(draft.func(func.id), region);
        for (size_t d = 0; d < region.size(); d++) {
            const bool keeps_estimate = func.is_input() || func.is_output();
            const std::optional<Interval> given = keeps_estimate ? estimate(i, d) : std::nullopt;
            func.root_region[d] = given ? *given : is_open(region[d]) ? kAnywhere : region[d];
        }
        for (StageId id : func.stages) {
            const Stage &stage = draft.stage(id);
            Intervals loops(stage.loops.size());
            draft.loop_ranges(stage, region, loops);
            for (EdgeId e : stage.incoming) {
                const Edge &edge = draft.edge(e);
                if (edge.is_self) continue;
                Box needed(edge.region.dims.size());
                edge.region.evaluate(loops, needed);
                grow_to_hull(regions[edge.producer.index()], needed);
            }
        }
    }
}

}  // namespace cryolite
