// Algorithm 1 of the thesis (section 4.3): the number of rows of a tile that stay in a cache together. Rows a power of
// two apart meet in a few sets long before the cache is full. Prefetched lines take room, too.
//
// Some of the printed algorithm can be read in two ways, or cannot be meant. Here it is read as follows:
// - A set holds lines, so the number of sets is size / (ways * line). The print divides by the element's size. Lines
//   wrap around modulo the number of sets. The print indexes past the end.
// - An address belongs to the line that the byte lies in, so that a row that starts inside a line touches one more. The
//   print rounds addresses up to a line. For rows that start on a line both readings agree.
// - A line that the row before has brought counts once. This happens to rows closer than a line, or that end inside
//   one. The print has distant rows in mind and counts such a line again.
// - Prefetched lines fill their sets. The prose says so, and the print does so for L1. Its loop for L2 only compares.
// - The distance of a prefetch is that of the stream's head from the reference: s - p in the prose, s - i in the print.
//   The head gains `prefetch_lines` per access until it is `prefetch_distance` ahead. So a row of n lines brings
//   min(n * lines, distance) lines more. For the next-line prefetcher of L1 this is the one line of the print's step 6.
#pragma once

#include <cstdint>

#include "machine/machine.h"

namespace cryolite::thesis {

struct EmulatedCache {
    int64_t sets = 1;
    int64_t ways = 1;  // those that one thread may fill
    int64_t line_bytes = 64;
    int64_t prefetch_lines = 0;     // per access
    int64_t prefetch_distance = 0;  // lines ahead of the reference, at most
};

// machine.caches[level]: 0 for L1, 1 for L2. Hardware threads that share the cache share its ways; each has at least
// one. (The thesis divides by the threads of a core, and by the cores that share L2.) The constant-stride prefetcher
// takes half of L2's sets.
EmulatedCache emulated_cache(const Machine &machine, size_t level);

// The bytes of the cache that a tile may use: (effective ways / ways) of L1, and half of this share of L2.
double usable_bytes(const Machine &machine, size_t level);

struct TileRows {
    int64_t first_byte = 0;   // address of the first row, >= 0
    int64_t row_bytes = 0;    // bytes of each row in the tile, >= 1
    int64_t pitch_bytes = 0;  // from one row to the next, >= 0
    int64_t rows = 1;         // the number of rows in the array
};

// maxT_i: the largest number of consecutive rows, at most tile.rows, that do not push out a line of each other. 0 if
// even one row does not fit.
int64_t rows_without_interference(const EmulatedCache &cache, const TileRows &tile);

}  // namespace cryolite::thesis
