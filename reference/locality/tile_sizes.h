// Which tile sizes the optimisers try, and how large algorithm 1 lets them be.
//
// The thesis tries all sizes; here the steps grow with the size, so that a convolution of seven
// loops is done in seconds: eight sizes per octave, thinned evenly until their product over all
// loops is within a budget. A size that leaves a small rest is evened out: of 1021 iterations in
// tiles of 512 the two are 511. The whole loop is always among the sizes, and one granule (an
// iteration, for the column a cache line) is unless the budget cannot hold that many.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "featurize/thesis/cache_emulation.h"
#include "reference/locality/perfect_nest.h"
#include "reference/locality/reference_runs.h"

namespace cryolite::locality {

// Sizes of one loop, ascending, multiples of the granule but for the last, which is the bound.
std::vector<int64_t> tile_sizes(int64_t bound, int64_t granule);

// Takes sizes away until the product of the counts is at most `budget` (>= 1): every other one of
// the longest list, its ends kept; once all have two, the smaller one of the shortest loop.
void thin_out(std::vector<std::vector<int64_t>> &sizes, int64_t budget);

// How many iterations of a loop a tile may have before rows of some array evict each other.
class TileBounds {
public:
    // What is only written counts only if it goes through the caches.
    TileBounds(const PerfectNest &nest, const Machine &machine, bool stores_bypass_caches);

    // maxT of `loop` by algorithm 1 in caches[level], 0 or 1, given the sizes of the other loops,
    // which say how long the rows are: the least over all arrays on whose rows the loop walks
    // (their first row at address 0). The loop's bound where it walks on none.
    int64_t largest(size_t loop, size_t level, std::span<const int64_t> tile);

private:
    struct Walk {
        size_t reference;  // index into runs_
        int64_t pitch_bytes;
    };
    std::vector<int64_t> bounds_;  // per loop
    std::vector<ReferenceRuns> runs_;
    std::vector<std::vector<Walk>> walks_;       // per loop: over whose rows
    std::vector<thesis::EmulatedCache> caches_;  // per level
    // Algorithm 1 by level, bytes of a row, pitch, rows.
    std::map<std::tuple<size_t, int64_t, int64_t, int64_t>, int64_t> memo_;
};

}  // namespace cryolite::locality
