// Algorithm 3 of the thesis, equations (4.14) to (4.19): tiles for nests whose only reuse is that
// of the lines of a transposed array.
//
// A tile is as wide as the output's column loop says, and as high as the loop that walks the
// columns of a transposed array; where several arrays are transposed, each such loop is tried. All
// other loops stay outside of the tiles, and with the tile's rows they run in parallel as one.
//
// The readings:
// - (4.17) is kept as printed: its factor is T_x / l_c as in (4.15), so that the cost of an array
//   that is not transposed does not depend on the tile. (T_y / l_c, the mirror image, would favour
//   square tiles; the text wants the least width and the greatest height.)
// - "Fulfils equation (4.6)" in the description of algorithm 3 means (4.13): iterations per thread.
// - Every tile is a line wide at least, as (4.15) assumes. As high it need not be, where algorithm
//   1 or the number of threads want less; the cost makes it as high as it may be.
// - Algorithm 1 bounds the height only, as printed: the lines of the transposed array itself may
//   still meet in a set of L1.
#pragma once

#include "reference/locality/locality_plan.h"

namespace cryolite::locality {

// (4.15), (4.17): rows of the tile, of all tiles, times width / elements per line: the part of a
// row's lines that the constant-stride prefetcher of L2 does not bring. `tile`: per loop.
double spatial_partial_cost(const PerfectNest &nest, const Reference &reference,
                            std::span<const int64_t> tile, size_t width_loop, int line_bytes);

// Errors: a nest or a machine that is not sound (defect_of), nothing in it that is transposed, and
// a nest no tile of which fits.
Result<LocalityPlan> optimize_spatial(const PerfectNest &nest, const Machine &machine);

}  // namespace cryolite::locality
