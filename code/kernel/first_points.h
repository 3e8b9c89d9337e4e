// What Halide knows of where a stage's loops begin, in the case of the output that is compiled for sizes with whole
// parts. Loads of f(x % 64) and choices by y % 2 are cheap only where it does (periods.h).
#pragma once

#include "code/stage/expanded_stage.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Where one iteration of the first `count` loops begins along Stage::loops[loop]: at a multiple of this, counted from
// the stage's first point. 0: at that point itself.
int64_t known_multiple(const LoopLevels &loops, size_t loop, size_t count);

// Whether an output has vectors or unrolled copies along Stage::loops[loop] for which it pays to have a case of its own
// for extents that are multiples of `period`.
//
// The last part of a split dimension is shifted inwards. If it may begin anywhere, Halide knows of no part where it
// begins, but in an innermost loop, which it partitions. That costs vectors most where the pattern is as long as the
// vector: its lanes are then loaded one by one. Patterns that repeat several times in a vector gain nothing
// (camera_pipe's period of 2 in vectors of 32 did not).
bool wants_whole_extent(const LoopNest &nest, const StageNest &output, size_t loop, int64_t period);

// Whether every iteration of the stage's first `count` loops begins, along Stage::loops[loop], at a multiple of
// `period`, and Halide can tell: the output's case asks for it (ask_for_places), or the place is a constant. Funcs
// in an output's loops begin where their readers need them. On a GPU the answer is no: nothing was measured there.
bool begins_at_multiples(const LoopNest &nest, StageId stage, size_t loop, size_t count,
                         int64_t period);

// The same, where Halide must know the place as a number but for the number of the part: WantedPlace::number.
bool begins_at_numbers(const LoopNest &nest, StageId stage, size_t loop, size_t count,
                       int64_t period);

// Whether all lanes of the stage's vectors have the same index in dimension d of the load, and Halide can tell: eight
// lanes of f(x / 8) that begin at a multiple of 8. joined: each lane stands for several products.
bool lanes_share_index(const LoopNest &nest, StageId stage, const LoadGroup &load, size_t d,
                       int vector_dim, int lanes, bool joined = false);

// Whether the lanes of the stage's vectors may wrap around in an index of the load, as far as Halide knows
// (LoadGroup::wrapped): each is then loaded by itself. Eight lanes of f(x % 64) are neighbours where each vector begins
// at a multiple of 8.
// Lanes that lie whole periods apart (lane_step) are all at one place of the index.
bool lanes_may_wrap(const LoopNest &nest, StageId stage, const LoadGroup &load, int vector_dim,
                    int lanes, int lane_step = 1);

}  // namespace cryolite
