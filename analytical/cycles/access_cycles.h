// Cycles of loads and stores that L1 serves. An access is one vector, or one scalar if there is one lane.
#pragma once

#include <optional>

#include "code/kernel/known_addresses.h"
#include "code/stage/inner_loops.h"
#include "code/stage/vector_geometry.h"
#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Up to this stride Halide loads whole vectors, and picks the lanes out of them.
constexpr double most_picked = 4;

// Whether one instruction picks the elements of a vector out of any two others (AVX-512).
bool picks_from_two(const Machine &machine);

// Mean number of accesses for one vector that may start anywhere. A vector that straddles two cache lines needs two.
double accesses_per_vector(const Machine &machine, int bits, int lanes);

// Cycles of one load of the group, on average over the image. Near the image's borders a clamped index turns a vector
// load into a gather, and an index that may wrap around within a vector does so everywhere. vector_dim: index into the
// reader's Stage::loops. together: loads_together(); it counts where two vectors are picked from at once.
double load_cycles(const Machine &machine, const LoopNest &schedule, StageId reader,
                   const LoadGroup &load, int vector_dim, int lanes, const BorderLoop &border,
                   int lane_step = 1, double together = 1);

// How many loads of a body take their lanes, which lie a few elements apart, out of the same whole vectors, on average.
// Halide 21 loads those together that begin within one stride (in(4 * x + r) for r from 0 to 3).
double loads_together(const LoopNest &schedule, const LoadGroup &load, const InnerLoops &in);

// Elements from what one iteration of loop `l` loads to what the next one loads, over `count` of them. Nothing: they
// are no constant, or not the same everywhere.
std::optional<double> lane_stride(const LoopNest &schedule, StageId reader, const LoadGroup &load,
                                  size_t l, int count);

// Whether the load's vectors are aligned, so that none straddles two lines. Halide aligns its own allocations to a
// line. The rows of a tile that is a whole number of vectors wide are aligned as well. Only reduction loops may walk
// from row to row. nest: the reader's loops.
bool is_packed(const LoopNest &schedule, const StageNest &nest, const LoadGroup &load);

// Cycles to store one point or vector of the stage, with all tuple elements.
double store_cycles(const LoopNest &schedule, const Machine &machine, const Stage &stage,
                    const InnerLoops &in, int lanes, const KnownAddresses &known);

// How many elements of one load of the group are loaded one by one because of masks. A vector is masked under a
// predicate of its lanes, and as the last one of a row that ends within it. body: the reader's.
double elements_under_masks(const Machine &machine, const LoopNest &schedule,
                            const ExpandedStage &body, const LoadGroup &load, int vector_dim,
                            int lanes);
// What masks add to a load of so many such elements, and to one store of the stage, with all tuple elements.
double load_mask_cycles(const Machine &machine, double elements);
double store_mask_cycles(const Machine &machine, const LoopNest &schedule, const Stage &stage,
                         int vector_dim, int lanes);

}  // namespace cryolite
