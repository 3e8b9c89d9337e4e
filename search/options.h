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
    // Seconds of compilation on one core, as predicted (compile_cost.h), above which a schedule is avoided
    // where one that runs nearly as fast compiles faster. It is for a pipeline whose plain schedule compiles
    // in 5 seconds or less; a longer one gets as many times more. 0: no limit. Whatever the budget, of the
    // schedules that are predicted to run within 2 % of the best the search may take one that compiles in
    // less than 0.8 of its time, and a second sooner (simplest() in beam.h).
    double compile_budget_seconds = 30;
    // The same of Halide's lowering alone, however long the pipeline: for who has to see it lowered in time.
    double lowering_budget_seconds = 0;
    // Nothing is pruned or drawn: every candidate of the space on every state. For tests.
    bool exhaustive = false;
    // Whether a kernel's cost is remembered: without, the same is found in more time. For benchmarks.
    bool remember_kernels = true;
    // Kernels' costs are disturbed by up to this factor (cost_noise.h), by the seed: a way to draw
    // schedules that differ and still make sense. What the search reports is undisturbed. 1: none.
    double cost_noise = 1;
};

}  // namespace cryolite
