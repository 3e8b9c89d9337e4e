// The plain schedule: what a user writes in a minute without thinking about locality. It is the
// reference that tests trust and the baseline that reports compare with, so it must be legal for
// every pipeline and every size: nothing is fused, nothing is rounded up or shifted.
#pragma once

#include <Halide.h>

#include <vector>

namespace cryolite::apps {

// Computes every Func that the outputs need at root. Per stage:
// - for a CPU, the innermost loop over a pure variable is vectorised by the natural width of the
//   stage's type and the outermost is parallel;
// - for a GPU, the two innermost pure loops are tiled into blocks of 32x8 threads (64 for a single
//   loop) and the others are fused into the third dimension of the grid.
// Loops over a reduction domain stay serial, inside the pure loops. Stages without pure loops run
// serially. Tails are guarded, so no stage reads or writes more than the region that its consumers
// need.
void schedule_plain(const std::vector<Halide::Func> &outputs, const Halide::Target &target);

}  // namespace cryolite::apps
