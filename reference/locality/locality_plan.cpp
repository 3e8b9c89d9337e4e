#include "reference/locality/locality_plan.h"

#include "reference/locality/loop_order.h"
#include "reference/locality/spatial_optimizer.h"
#include "reference/locality/temporal_optimizer.h"

namespace cryolite::locality {

LocalityPlan plan_for(const PerfectNest &nest, const Machine &machine, Locality locality,
                      std::vector<int64_t> tile, Tiling tiling) {
    LocalityPlan plan;
    plan.locality = locality;
    plan.tile = std::move(tile);
    plan.tiling = std::move(tiling);
    plan.nontemporal_stores = use_nontemporal_stores(nest, machine);
    if (!nest.loops.empty()) {
        const size_t column = column_loop(nest);
        if (nest.loops[column].vectorizable && nest.loops[column].bound > 1)
            plan.vector_loop = column;
    }
    plan.parallel_levels = parallel_levels(nest, plan.tiling);
    const NestRuns runs(nest, machine.line_bytes(), plan.nontemporal_stores);
    plan.cost = tile_cost(runs, plan.tiling, machine);
    plan.loop_distance = loop_distance(nest, plan.tiling);
    return plan;
}

Result<LocalityPlan> plan_locality(const PerfectNest &nest, const Machine &machine) {
    if (std::string defect = defect_of(nest); !defect.empty()) return Error{std::move(defect)};
    if (std::string defect = defect_of(machine); !defect.empty()) return Error{std::move(defect)};
    const Locality locality = classify(nest, machine.line_bytes());
    switch (locality) {
        case Locality::Temporal: return optimize_temporal(nest, machine);
        case Locality::Spatial: return optimize_spatial(nest, machine);
        case Locality::Contiguous:
        case Locality::Unoptimised: break;
    }
    std::vector<int64_t> tile;
    for (const NestLoop &l : nest.loops) tile.push_back(l.bound);
    return plan_for(nest, machine, locality, std::move(tile), untiled(nest));
}

}  // namespace cryolite::locality
