// Cycles of loads and stores that the first cache serves: of one vector, or of one scalar where there is
// one lane.
#pragma once

#include "code/stage/inner_loops.h"
#include "code/stage/vector_geometry.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Accesses for one vector that starts anywhere: one that straddles two cache lines costs two.
double accesses_per_vector(const Machine &machine, int bits, int lanes);

// One load of the group, on average over the image: near its borders a clamped index makes a gather of a
// vector load. vector_dim: of the reader's Stage::loops.
double load_cycles(const Machine &machine, const LoopNest &schedule, const LoadGroup &load,
                   int vector_dim, int lanes, const BorderLoop &border);

// Whether vectors of a load start where the memory of the Func that it reads, or one of its rows, does: a
// sum walks down the rows of a tile that is a whole number of vectors wide. Halide starts its own
// allocations at a line. nest: the reader's loops.
bool is_packed(const LoopNest &schedule, const StageNest &nest, const LoadGroup &load);

// One point or vector of the stage, all tuple elements. turns: see KnownAddresses::turns_squares.
double store_cycles(const LoopNest &schedule, const Machine &machine, const Stage &stage,
                    const InnerLoops &in, int lanes, bool turns);

}  // namespace cryolite
