// Funcs that share loops though neither reads the other (action::ComputeWith, Halide's compute_with).
//
// The first of them, the leader, is at root. A companion is computed at one of the leader's loops: in each iteration,
// the part that has the place of the leader's part. Halide makes one nest of loops of both, down to that loop, and a
// nest for each inside. At sizes at which the two differ, guards leave out what one of them lacks. What both read is
// then read while it is in a cache; what only they read can be computed once for both, in a loop that they share.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether `f`, not placed yet, may be computed with the leader at the loop.
// - Both have one stage, without a reduction, and none reads another of the group.
// - Of the dimensions that the loops to share walk, both are needed in the same part, at the estimates: shared_dims().
//   Either may have further dimensions, inside of these loops: a row's sum beside the row.
// - The loops to share are neither vectors nor unrolled, and hold no sliding window, whose filling starts them earlier.
// - They are the outermost of their dimensions. Where the sizes differ, the guard of a split would leave out the other
//   Func's part with the leader's (seen with 21).
// - What is computed in them already does not overreach (below).
bool may_accompany(const LoopNest &nest, FuncId f, LoopName with);

// Per dimension of a companion, the leader's dimension whose loops it can share; -1: none. Those of the same place if
// the two are needed in the same region; else those that walk the same dimension of what both read (followed_dims()),
// if both are needed in the same part of it.
std::vector<int> shared_dims(const StageGraph &graph, FuncId companion, FuncId leader);

// Whether the companion's own loops divide what it shares: they are emitted as splits of the leader's splits.
bool divides_shared_parts(const LoopNest &nest, const FuncNest &companion);

// Whether `f`, computed at the loop, would need more of an input than there is where the Funcs that share the loop
// differ in size. The loop then goes further than some of them. Halide limits what is needed there by the guard of a
// split alone, not if the dimension is not split (seen with 21).
bool overreaches_shared_loop(const LoopNest &nest, const Func &f, LoopName at);

}  // namespace cryolite
