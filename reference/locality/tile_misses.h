// What a tiled nest misses in L1 and L2 when prefetchers stream, equations (4.1) to (4.11), and the
// working sets (4.18) and (4.19) of the thesis, for any order, tiling and access set.
//
// L1 keeps what one iteration of the outermost intra-tile loop touches, L2 what one iteration of
// the innermost inter-tile loop touches: a tile. A prefetcher that streams brings all of a row but
// its first line, so that misses are counted in rows (reference_runs.h). Whatever the reuse loop
// does not move is fetched once for all its iterations; the loops outside of it fetch everything
// again.
//
// Read between the lines:
// - (4.1) counts elements and (4.18) whole lines where a column is walked. Both are the sum, over
//   the runs that a reference touches, of their length but at least a line.
// - The thesis has tiles that divide the bounds. Elsewhere the last tile is a part of one: what a
//   loop moves shrinks with it (B / T times), what it does not move is fetched in full (ceil(B / T)
//   times).
// - Without a prefetcher a run costs its lines, (4.2) and (4.7).
#pragma once

#include <span>
#include <vector>

#include "featurize/thesis/equations.h"
#include "machine/machine.h"
#include "reference/locality/perfect_nest.h"
#include "reference/locality/reference_runs.h"

namespace cryolite::locality {

// The references of a nest, ready to be asked many times.
class NestRuns {
public:
    // The nest must outlive it. `stores_bypass_caches`: what is only written is left out, since
    // non-temporal stores neither need nor take room in a cache (as `out` in (4.18), (4.19)).
    NestRuns(const PerfectNest &nest, int line_bytes, bool stores_bypass_caches = false);

    const PerfectNest &nest() const { return *nest_; }
    std::span<const ReferenceRuns> references() const { return references_; }
    int line_bytes() const { return line_bytes_; }

private:
    const PerfectNest *nest_;
    std::vector<ReferenceRuns> references_;
    int line_bytes_;
};

// (4.1), (4.6), (4.18), (4.19), in bytes: what a box of iterations touches.
double working_set_bytes(const NestRuns &runs, std::span<const int64_t> box);

// (4.2), (4.7) without and (4.3), (4.8) with a streaming prefetcher: misses of one box in a cold
// cache.
double cold_misses(const NestRuns &runs, std::span<const int64_t> box, bool streaming);

// (4.4), (4.5) and (4.9), (4.10): misses of the whole nest in a cache that keeps what one iteration
// of levels[reuse_level] touches until the next. reuse_level == -1: keeps all; the nest misses
// once.
double expected_misses(const NestRuns &runs, const Tiling &tiling, int reuse_level, bool streaming);

// The level whose iterations reuse L1: the outermost intra-tile one; without any, the innermost.
// And L2: the innermost inter-tile one, -1 without any.
int l1_reuse_level(const Tiling &tiling);
int l2_reuse_level(const Tiling &tiling);

// Whatever the tiling was meant for: the outermost level one iteration of which touches no more than
// `cache_bytes`, so that its data is there in the next. The last level if none does, -1 if the whole
// nest does.
int fitting_reuse_level(const NestRuns &runs, const Tiling &tiling, double cache_bytes);

struct TileCost {
    double l1_working_set_bytes = 0, l2_working_set_bytes = 0;
    double l1_misses = 0, l2_misses = 0;  // C_L1, C_L2 of the whole nest
    double cycles = 0;                    // C_total = a_2 C_L1 + a_3 C_L2 (4.11), one core's
};
TileCost tile_cost(const NestRuns &runs, const Tiling &tiling, const Machine &machine);

// What a Machine lacks for this folder: two caches with sizes, and bandwidths. Empty if nothing.
std::string defect_of(const Machine &machine);

}  // namespace cryolite::locality
