// What a caller may ask of the search.
#pragma once

#include <cstdint>

#include "base/deadline.h"

namespace cryolite {

struct SearchOptions {
    int64_t beam_size = 0;   // 0: by the size of the pipeline, see effort.h
    int64_t num_passes = 0;  // 0: likewise
    int64_t seed = 0;
    int64_t threads = 0;  // of the search itself; 0: as many as the computer has
    // Tilings tried per placement of a Func, drawn at random (seeded); fewer in long pipelines.
    int64_t tilings_per_placement = 48;
    double time_limit_seconds = 20;  // of the whole search
    Deadline deadline;               // the caller's own, for what comes earlier
    int64_t memory_limit_bytes = int64_t{900}
                                 << 20;  // by which the process may grow, see memory_plan.h
    // Nothing is pruned or drawn: every candidate of the space on every state. For tests.
    bool exhaustive = false;
    // Whether a kernel's cost is remembered: without, the same is found in more time. For benchmarks.
    bool remember_kernels = true;
    // Kernels' costs are disturbed by up to this factor (cost_noise.h), by the seed: a way to draw
    // schedules that differ and still make sense. What the search reports is undisturbed. 1: none.
    double cost_noise = 1;
};

}  // namespace cryolite
