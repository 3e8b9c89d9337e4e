// How elements fill a machine's vectors.
#pragma once

#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// Bits of an element. Booleans count as in memory.
int bits_of(TypeClass type);

// How many of the machine's vectors `lanes` elements of `bits` fill, rounded up.
double vectors(const Machine &machine, int bits, int lanes);

// Whether one instruction loads or stores a vector of elements of so many bits under a mask. AVX-512 has such
// instructions for all sizes, AVX2 for 32 bits and more, and narrower vectors (SSE, NEON) for none.
bool has_masks(const Machine &machine, int bits);

}  // namespace cryolite
