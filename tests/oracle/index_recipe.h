// How a random stage addresses one dimension of what it reads, and the two forms in which a
// StageGraph holds it: access maps, one per tap, and the bounds of a region program. Both are made
// from the same recipe, each in its own way, so that one can be checked against the other.
#pragma once

#include <vector>

#include "graph/stage_graph.h"

namespace cryolite::oracle {

// floor((sum of factor * loop + tap) / divisor), for every tap. Or a gather: any value of an interval,
// found by loading.
struct IndexRecipe {
    struct Term {
        int loop = 0;
        int64_t factor = 1;
    };
    std::vector<Term> terms;  // none: constants
    std::vector<int64_t> taps{0};
    int64_t divisor = 1;
    bool gather = false;
    Interval gathered;            // of a gather
    std::vector<int> depends_on;  // loops, of a gather
};

IndexMap index_map(const IndexRecipe &recipe, int64_t tap, size_t num_loops);

RegionBounds bounds(const IndexRecipe &recipe);

// Around both.
RegionBounds hull(const RegionBounds &a, const RegionBounds &b);

}  // namespace cryolite::oracle
