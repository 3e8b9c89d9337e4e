// Chapter 4 over a pipeline: where (inline what is trivial, all else at root), then every stage as
// a kernel of its own.
#include <algorithm>

#include "reference/builder.h"
#include "reference/locality/locality_plan.h"
#include "reference/locality/nest_of_stage.h"
#include "reference/locality/spatial_optimizer.h"
#include "reference/locality/temporal_optimizer.h"
#include "reference/reuse/segment.h"
#include "reference/strategies.h"

namespace cryolite::strategies {
namespace {

using locality::Locality;
using locality::LocalityPlan;
using locality::PerfectNest;
using Optimizer = Result<LocalityPlan> (*)(const PerfectNest &, const Machine &);

LocalityPlan keep_loops(const PerfectNest &nest, const Machine &machine, Locality locality) {
    std::vector<int64_t> whole;
    for (const locality::NestLoop &l : nest.loops) whole.push_back(l.bound);
    return locality::plan_for(nest, machine, locality, std::move(whole), locality::untiled(nest));
}

StageShape shape_of(const LocalityPlan &plan, int64_t vector_width) {
    StageShape shape;
    for (const locality::NestLevel &l : plan.tiling.levels)
        shape.levels.push_back({static_cast<int>(l.loop), l.span});
    if (plan.vector_loop) shape.vector_loop = static_cast<int>(*plan.vector_loop);
    shape.vector_width = vector_width;
    shape.parallel_levels = static_cast<int>(plan.parallel_levels);
    return shape;
}

class Kernels {
public:
    Kernels(const StageGraph &graph, const Machine &machine, Optimizer optimizer)
        : graph_(graph), machine_(machine), optimizer_(optimizer), builder_(graph, machine) {}

    StrategyResult run() && {
        for (const Func &func : graph_.funcs()) {
            if (func.is_input()) continue;
            const bool cheap = func.inline_only || reuse::is_always_inlined(graph_, func.id);
            if (!cheap || !builder_.try_inline(func.id)) builder_.compute_root(func.id);
        }
        for (const Stage &stage : graph_.stages()) {
            const Func &func = graph_.func(stage.func);
            const bool inlined = builder_.nest().at(func.id).placement == Placement::Inline;
            if (inlined || func.locked || func.enclosed || func.is_extern || stage.is_undefined)
                continue;
            schedule(stage, func);
        }
        return std::move(builder_).finish();
    }

private:
    void schedule(const Stage &stage, const Func &func) {
        if (stage.loops.empty()) return builder_.shape_plainly(stage.id, "a single point");
        const Result<PerfectNest> nest =
            locality::nest_of_stage(builder_.nest(), builder_.expander(), stage.id);
        if (!nest.ok()) return builder_.shape_plainly(stage.id, nest.error().message);
        if (std::ranges::any_of(nest->references, &locality::Reference::is_gather))
            return builder_.shape_plainly(stage.id, "not all of its accesses are affine");
        for (const std::string &defect : {defect_of(*nest), locality::defect_of(machine_)})
            if (!defect.empty()) return builder_.shape_plainly(stage.id, defect);

        const LocalityPlan plan = plan_for(stage, *nest);
        if (plan.nontemporal_stores)
            builder_.note(func.name + ": non-temporal stores are right for it");
        const int bytes = std::max(1, func.values.empty() ? 1 : func.values[0].bytes());
        builder_.shape(stage.id, shape_of(plan, machine_.vector_bytes / bytes));
    }

    LocalityPlan plan_for(const Stage &stage, const PerfectNest &nest) {
        const Locality locality = locality::classify(nest, machine_.line_bytes());
        if (locality == Locality::Contiguous || locality == Locality::Unoptimised)
            return keep_loops(nest, machine_, locality);
        Result<LocalityPlan> plan = optimizer_(nest, machine_);
        if (plan.ok()) return std::move(*plan);
        builder_.adapt(stage.id, "loops kept, " + plan.error().message);
        return keep_loops(nest, machine_, locality);
    }

    const StageGraph &graph_;
    const Machine &machine_;
    const Optimizer optimizer_;
    Builder builder_;
};

}  // namespace

StrategyResult temporal_strategy(const StageGraph &graph, const Machine &machine) {
    return Kernels(graph, machine, locality::optimize_temporal).run();
}

StrategyResult spatial_strategy(const StageGraph &graph, const Machine &machine) {
    return Kernels(graph, machine, locality::optimize_spatial).run();
}

}  // namespace cryolite::strategies
