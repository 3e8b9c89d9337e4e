// A pipeline as if nothing had been scheduled.
#pragma once

#include <vector>

#include <Halide.h>

namespace cryolite {

// Takes the schedules off all Funcs of a pipeline, in place: loops, places, storage and specialisations. What stays
// belongs to the algorithm or is a fact about sizes: wrappers (Func::in), Funcs that rfactor has made, estimates, and
// Func::bound. An alignment of bounds goes, and so does the bare extent of a Func that is no output: both hold only
// where the schedule has put the Func.
void clear_schedules(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace cryolite
