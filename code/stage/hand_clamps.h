// Clamps by hand (Clamp::ByHand) along a stage's vectors: which of them Halide cannot cut off the middle of a loop.
// Vectors load by such an index element by element, all over the image.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether an index that moves with the loop is clamped by hand. Funcs that are inlined into the stage count.
bool moves_hand_clamp(const LoopNest &nest, const Stage &stage, size_t loop);

// Whether Halide cuts shared clamps (LoadGroup::shared_clamps) along the stage's vectors off, because the last vector
// shifts inwards. holds_others: StageCode::holds_others.
bool cuts_shared_clamps(const StageGraph &graph, const StageNest &nest, bool holds_others);

}  // namespace cryolite
