// Equations of the thesis "Automatic Scheduling of Image Processing Pipelines", as functions of numbers. The row of
// features takes the numbers from a kernel's count (locality_features.cpp, reuse_features.cpp, gpu_features.cpp). The
// strategies in reference/ take them from perfect nests, segments and groups.
//
// A run is a piece of consecutive memory. The thesis calls it a row of a tile.
#pragma once

#include <cstdint>
#include <span>

#include "machine/machine.h"

namespace cryolite::thesis {

// --- chapter 4: misses of tiles ---

// Misses in a cold cache by so many runs of run_bytes each. With a streaming prefetcher a run misses once, (4.3) and
// (4.8). Without one it misses once a line, (4.2) and (4.7).
double cold_misses(double runs, double run_bytes, int line_bytes, bool streaming);

// How often the reuse loop fetches what one of its iterations touches, (4.4) and (4.9). renewed: the share of it that
// the next iteration has not touched. 0: fetched once. 1: fetched in every iteration.
double fetches(double iterations, double renewed);

// a_2 for level 0 and a_3 for level 1 of (4.11): cycles of a miss in caches[level]. A miss waits until a stream of
// the next level, or of memory, has started.
double miss_cycles(const Machine &machine, size_t level);

// One loop of an order. Bit d of `dimensions`: it walks dimension d of the algorithm.
struct OrderedLoop {
    uint64_t dimensions = 0;
    double iterations = 1;
};
// (4.12): a loop and the next one inside it that walks a common dimension are parts of one loop. Their distance is
// the product of the iterations of all loops between them. This is the sum over all such pairs. Outermost first.
double loop_distance(std::span<const OrderedLoop> loops);

// (4.15) and (4.17): runs of all tiles, times the part of a tile's width that the constant-stride prefetcher of L2
// does not bring. width: points of the tile along the output's rows.
double spatial_cost(double runs, double width, double points_per_line);

// --- chapter 5: reuse against recomputation ---

// Whether a prefetcher can stream runs of an array with rows of row_bytes. It then leaves one load of each run, (5.6).
// A run shorter than a line, of a longer row, gives it nothing to stream: all loads stay, (5.13).
bool is_streamed(double run_bytes, double row_bytes, int line_bytes);

// --- chapter 6: groups on a GPU, listing 6.1 ---

// A transaction against one arithmetic operation. Global: Mullapudi2016's balance; the text names no number. Shared: a
// twelfth, as 128 bytes per clock of an SM's shared memory are to its share of an A100's DRAM (1,555 GB/s, 108 SMs,
// 1.4 GHz: 10 bytes per clock).
struct TransactionCosts {
    double global = 40;
    double shared = 40.0 / 12;
};

// Lines 28 and 29: operations of all blocks, shared among the threads that are active. 0 where none is.
double arithmetic_cost(double operations, double occupancy, double active_threads);
// Lines 39 and 40. 0 where no thread is active.
double group_cost(double arithmetic, double memory, double occupancy, double active_threads);

}  // namespace cryolite::thesis
