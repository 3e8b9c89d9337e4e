// What an optimiser of this folder decides about a nest, and figure 4.1 of the thesis: classify,
// then optimise for what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "reference/locality/classification.h"
#include "reference/locality/tile_misses.h"

namespace cryolite::locality {

struct LocalityPlan {
    Locality locality = Locality::Unoptimised;
    std::vector<int64_t> tile;  // per loop; the bound where it is not tiled
    Tiling tiling;
    std::optional<size_t> vector_loop;  // the column, where it may be a vector
    size_t parallel_levels = 0;         // outermost levels of `tiling` that run in parallel, as one
    bool nontemporal_stores = false;
    TileCost cost;             // by (4.1) to (4.11)
    double loop_distance = 0;  // (4.12)
    double spatial_cost = 0;   // sum of (4.15), (4.17); of the spatial optimiser only
    // That were valid and that their L2 misses alone did not rule out.
    int64_t tilings_compared = 0;
};

// Errors: a nest or a machine that is not sound (defect_of), and a nest no tile of which fits.
Result<LocalityPlan> plan_locality(const PerfectNest &nest, const Machine &machine);

// The plan that leaves the loops as they are; the other parts of a plan for `tiling`.
LocalityPlan plan_for(const PerfectNest &nest, const Machine &machine, Locality locality,
                      std::vector<int64_t> tile, Tiling tiling);

}  // namespace cryolite::locality
