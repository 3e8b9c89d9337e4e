// Algorithm 1 of the thesis (section 4.3): how many rows of a tile stay in a cache together. Rows a
// power of two apart meet in a few sets long before the cache is full, and what the prefetchers
// bring along takes room, too.
//
// Where the printed algorithm can be read in two ways, or cannot be meant, this is the reading:
// - A set holds lines, so their number is size / (ways * line); the print divides by the element's
//   size. Lines wrap around modulo the number of sets (the print indexes past the end).
// - The print rounds an address up to a line; here it is the line that the byte lies in, and a row
//   that starts inside a line touches one more. For rows that start on a line both are the same.
// - A line that the row before has brought already (rows closer than a line, or that end inside
//   one) is counted once. The print has distant rows in mind and would count it again.
// - Prefetched lines fill their sets: so says the prose, and so the print does for L1; its loop for
//   L2 only compares.
// - The distance of a prefetch is that of the stream's head from the reference, s - p in the prose
//   (s - i in the print): the head gains `prefetch_lines` per access until it is
//   `prefetch_distance` ahead, so that beyond a row of n lines min(n * lines, distance) more are
//   brought. For the next-line prefetcher of L1 that is the one line of the print's step 6.
#pragma once

#include <cstdint>

#include "machine/machine.h"

namespace cryolite::thesis {

struct EmulatedCache {
    int64_t sets = 1;
    int64_t ways = 1;  // that one thread may fill
    int64_t line_bytes = 64;
    int64_t prefetch_lines = 0;     // per access
    int64_t prefetch_distance = 0;  // lines ahead of the reference, at most
};

// machine.caches[level]: 0 for L1, 1 for L2. The ways are shared among the hardware threads that
// share the cache (the thesis divides by the threads of a core, and by the cores where L2 is theirs
// together), never fewer than one. Half of L2's sets are left to what the constant-stride
// prefetcher brings.
EmulatedCache emulated_cache(const Machine &machine, size_t level);

// Of the cache's bytes, what a tile may use: (effective ways / ways) of it, and of L2 the half.
double usable_bytes(const Machine &machine, size_t level);

struct TileRows {
    int64_t first_byte = 0;   // address of the first row, >= 0
    int64_t row_bytes = 0;    // what the tile takes of each row, >= 1
    int64_t pitch_bytes = 0;  // from one row to the next, >= 0
    int64_t rows = 1;         // as many as there are
};

// The largest number of consecutive rows, at most tile.rows, none of whose lines has to leave for
// another: maxT_i. 0 if even one row does not fit.
int64_t rows_without_interference(const EmulatedCache &cache, const TileRows &tile);

}  // namespace cryolite::thesis
