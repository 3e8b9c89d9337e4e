// Loops over channels (StageLoop::channels) whose unrolled copies know their channel as a number. An output's case for
// large sizes may also ask for the number of channels that the estimates have. What runs in that case then knows the
// channels of all loops that walk the same ones.
#pragma once

#include <vector>

#include "code/stage/split_tails.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Whether the loop of Stage::loops has channels and walks all of them. range: StageNest::range.
bool walks_all_channels(const Stage &stage, const Intervals &range, size_t loop);

// Whether, besides, Halide knows them: wherever the stage runs, it is in such a case.
bool walks_known_channels(const LoopNest &nest, StageId stage, size_t loop);

// shifted_case() with the channels and the first points (periods.h) that code in the output's kernel wants to know.
std::vector<WholePart> specialized_case(const LoopNest &nest, StageId output);

// The cases that are compiled, the best one first: that one, and if it wants extents that are multiples, the same for
// all other extents.
std::vector<std::vector<WholePart>> specialized_cases(const LoopNest &nest, StageId output);

}  // namespace cryolite
