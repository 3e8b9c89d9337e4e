// The plain schedule: what a user writes in a minute without thinking about locality. It is the
// reference that tests trust and the baseline that reports compare with, so it must be legal for
// every pipeline and every size: nothing is fused, nothing is rounded up or shifted.
#pragma once

#include <Halide.h>

namespace cryolite::apps {

// Computes every Func that `output` needs at root. Per stage, the innermost loop over a pure
// variable is vectorised by the natural width of the stage's type and the outermost is parallel.
// Loops over a reduction domain stay serial, inside the pure loops. Funcs without pure loops
// (scalars, histograms) run serially. Tails are guarded, so no stage reads or writes more than the
// region that its consumers need.
void schedule_plain(Halide::Func output, const Halide::Target &target);

}  // namespace cryolite::apps
