// Random schedules to measure a cost model by. They are what the model has to tell apart in earnest:
// the search's own choice first, then the ends of greedy searches (OOPSLA 2021, section 6, makes its
// batches so) whose costs are disturbed, a little for some and a lot for others.
#pragma once

#include <vector>

#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite::bench {

struct Drawn {
    LoopNest nest;  // complete
    double noise;   // SearchOptions::cost_noise; 1 for the search's own choice
    int64_t beam_size;
    int64_t tilings;  // per placement
};

// At most `count` different schedules, fewer if the pipeline has no more; the first is what
// search() chooses. The same for the same seed; a smaller count gives the first of a larger one.
std::vector<Drawn> draw_schedules(const StageGraph &graph, const Machine &machine, size_t count,
                                  uint64_t seed);

}  // namespace cryolite::bench
