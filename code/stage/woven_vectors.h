// Woven vectors: the lanes of `woven` vectors lie that many points apart, and together they cover a part of a dimension
// without gaps. Halide weaves them when they are stored. Where a stage's expressions repeat after so many points, as in
// a resampling by 3 : 2 or a mosaic of colours, each vector does one thing alone: its weights are constants, its loads
// have a constant stride, and its choices are taken.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// What is computed and stored of the Func begins and ends at multiples of this in dimension `dim` (Func::align_bounds),
// so that woven vectors know their places. 1: it begins where the readers need it. An output does, and a Func that must
// not overcompute.
int64_t aligned_to(const StageGraph &graph, const FuncNest &func, size_t dim);

// The least interval of whole multiples around another one.
Interval aligned(const Interval &points, int64_t multiple);

// A box of the Func, aligned in each dimension.
Box aligned_box(const StageGraph &graph, const FuncNest &func, Box box);

// The most points of an aligned interval around `points` points.
int64_t aligned_points(int64_t points, int64_t multiple);

}  // namespace cryolite
