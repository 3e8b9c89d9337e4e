// The order of the loops of a tiled nest: equation (4.12), the second step of algorithm 2, and what
// makes an order valid.
//
// Two things that the thesis leaves open:
// - Its second step looks at all valid permutations; here those that keep the loops on which the
//   first step's misses depend: the outermost intra-tile loop and the innermost inter-tile loop.
// - "The loops that correspond to column indices" must not be outermost: here the loop of the
//   output's column (column_loop), that is the vector loop, neither among the inter-tile loops nor
//   among the intra-tile ones, and it stands innermost in the tile as in all its listings. Where
//   nothing else can stand there it may.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "reference/locality/perfect_nest.h"

namespace cryolite::locality {

// (4.12), C_order: for every loop that is split, the iterations of what stands between its parts,
// summed. A loop that is not split has no distance.
double loop_distance(const PerfectNest &nest, const Tiling &tiling);

// (4.13): the loop's tiles feed every thread with one at least.
bool feeds_threads(int64_t bound, int64_t tile, int64_t threads);

// How many tiles the outermost loop must have: Machine::cores (hardware threads, N_threads *
// N_cores), or the iterations of the longest loop that may run in parallel if that has fewer.
int64_t required_tiles(const PerfectNest &nest, const Machine &machine);

// May the loop be the outermost inter-tile loop? It must be split into enough tiles, run in
// parallel if more than one is required, and not be the column unless no other loop could lead.
bool may_lead(const PerfectNest &nest, std::span<const int64_t> tile, size_t loop,
              int64_t required);

// What an order must have. Loops without a value: any, or none.
struct OrderWish {
    std::optional<size_t> innermost_inter;
    std::optional<size_t> outermost_intra;
    int64_t required_tiles = 1;  // of the outermost inter-tile loop
    // Asked of the intra-tile loops, outermost first; none: all are welcome.
    std::function<bool(std::span<const size_t>)> accepts_intra;
};

// Of more loops than these between the outermost and the column, the outer ones keep their order.
inline constexpr size_t max_permuted_loops = 7;

// The valid tiling with the least loop distance; none if there is no valid one. All orders of the intra-tile loops are
// tried (a convolution has five between the first and the last); for each of them the best order of the inter-tile
// loops follows from sorting: the distance is a sum over loops of (product inside it) * weight, so that of two
// neighbours the one with the smaller weight / (trips - 1) belongs outside.
std::optional<Tiling> nearest_order(const PerfectNest &nest, std::span<const int64_t> tile,
                                    const OrderWish &wish);

// How many of the outermost loops may run in parallel as one ("we merge the outer inter-tile loops
// when possible"): inter-tile loops that are parallelizable, without the innermost, which reuses
// L2, unless it is the only one. Of a nest that is not tiled: its outermost loop, unless that is
// the column.
size_t parallel_levels(const PerfectNest &nest, const Tiling &tiling);

}  // namespace cryolite::locality
