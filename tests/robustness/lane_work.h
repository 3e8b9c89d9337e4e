// What the process of a lane does.
#pragma once

#include "tests/robustness/lane.h"

namespace cryolite::robustness {

// Of the clock: the least that one sample of a run takes.
constexpr double sample_seconds = 0.02;

// Every line of this form is a figure; all others are the log.
constexpr char figure_mark = '@';

// Schedules, compiles, checks and then answers each byte of standard input with a sample. Figures and the
// log are written to standard output. Returns when standard input ends. Throws what Halide throws.
void work_in_lane(const WorkloadMaker &maker, const Contender &contender, const LaneLimits &limits);

}  // namespace cryolite::robustness
