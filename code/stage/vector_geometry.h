// How elements fill a machine's vectors.
#pragma once

#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// Of an element; of booleans as they lie in memory.
int bits_of(TypeClass type);

// How many natural vectors `lanes` elements of `bits` fill.
double vectors(const Machine &machine, int bits, int lanes);

// Whether one instruction loads or stores a vector of elements of so many bits under a mask: with AVX-512 of
// any size, with AVX2 of 32 bits and more, with narrower vectors (SSE, NEON) none does.
bool has_masks(const Machine &machine, int bits);

}  // namespace cryolite
