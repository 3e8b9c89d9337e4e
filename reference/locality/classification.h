// What a loop nest is worth tiling for (thesis section 4.3 "Classification"; of figure 4.2 only the
// prose is left): the patterns of its indices decide.
#pragma once

#include <cstdint>

#include "machine/machine.h"
#include "reference/locality/perfect_nest.h"

namespace cryolite::locality {

enum class Locality : uint8_t {
    // The loops that index the inputs, taken together, are not those that index the output: data
    // comes back, and tiles keep it in L1 and L2.
    Temporal,
    // The same loops, but an array appears transposed: only its lines come back.
    Spatial,
    // The same loops, and every array is walked as the output is, or stands still: the prefetchers
    // stream, and a tile would cut their streams. Also where nothing is read.
    Contiguous,
    // The same loops, none transposed, but lines are met in more than one place: stencils, strides,
    // gathers. The prefetchers reach what tiling would, so the loops stay as they are.
    Unoptimised,
};
const char *name(Locality locality);

// Loops of one iteration index nothing. A reading of the output itself (C += ...) is an input.
Locality classify(const PerfectNest &nest, int line_bytes);

// The output's column loop leaps from line to line of the array, and another loop stays within one.
bool is_transposed(const PerfectNest &nest, const Reference &reference, int line_bytes);

// Is anything that the nest writes touched again by it: read, or written by more than one
// iteration?
bool output_is_reused(const PerfectNest &nest);

// Non-temporal stores are right: the output is not used again in the nest (section 4.3, last part),
// its columns are written without gaps, so that whole lines leave the core, and a reader that comes
// later would not find it in the caches anyway. The last two are ours: the thesis measures arrays
// that have both.
bool use_nontemporal_stores(const PerfectNest &nest, const Machine &machine);

}  // namespace cryolite::locality
