// Loops over a region whose length varies, with another Func computed around them: at the image's ends by a boundary
// condition, or from step to step where it moves by fractions.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether Halide would need more of the Funcs that `f` reads than there is, if f were computed at `site`.
//
// Suppose that a Func is computed in tiles and read through a clamp. Both ends of a tile's region move, and each stops
// at the image's end. Suppose further that f is computed outside of a loop over a whole side of that region. All tiles
// together need the points between the first tile's beginning and the last tile's end. For some forms of reads, Halide
// (21) takes the last beginning plus the longest extent instead. It then refuses an input as too small, or computes a
// Func at root beyond its end. Halide bounds a side that is split correctly.
//
// It does the same for a region that moves by fractions, such as the reads x / 3 and (x + 1) / 3. Some steps need one
// point and others two, and Halide adds the longest extent to the last beginning (seen with 21). It bounds a region
// correctly that moves by whole points from tile to tile, or by half a point from one point to the next. The last tile
// of an output may be shifted inwards, and then begins anywhere. Only halves are safe there.
//
// And where readers move one end of a region from step to step, while the other is held: by updates that change fixed
// points, or by another reader of a fixed row.
bool overreaches_clamped_loop(const LoopNest &nest, const Func &f, LoopName site);

}  // namespace cryolite
