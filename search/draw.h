// Random schedules to measure a cost model by: the search's own choice first, then the ends of searches
// (OOPSLA 2021, section 6, makes its batches of greedy ones) whose costs are disturbed.
#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "machine/hardware.h"
#include "schedule/loop_nest.h"
#include "search/effort.h"
#include "search/options.h"

namespace cryolite {

enum class DrawFrom : uint8_t {
    // What the model has to tell apart in earnest: disturbed a little for some and a lot for others.
    Likely,
    // Legal schedules whatever the model says of them: a thousandfold is more than choices differ by.
    Any,
};

struct Drawn {
    LoopNest nest;  // complete
    double noise;   // SearchOptions::cost_noise; 1 for the search's own choice
    int64_t beam_size;
    int64_t tilings;  // per placement
};

// From what a search that is disturbed may be drawn.
struct Disturbances {
    std::span<const double> noises;  // SearchOptions::cost_noise
    std::span<const int64_t> beam_sizes;
};
// A search of one pass, without refinement, with half or a quarter of the tilings for some. `options` is that of the
// whole search, and `full` its effort. Noise, beam, tilings and the search's own seed come from `random`. Several draws
// on one thread may share `options.model`.
Drawn disturbed_search(const StageGraph &graph, const Hardware &hardware, SearchOptions options,
                       const Effort &full, const Disturbances &from, Random random);
// Wider beams sometimes: a greedy search seldom ends with Funcs computed inside others, whose advantage shows only
// later.
inline constexpr int64_t mostly_greedy[] = {1, 1, 8};

// At most `count` different schedules, fewer if the pipeline has no more; the first is what
// search() chooses. The same for the same seed; a smaller count gives the first of a larger one.
std::vector<Drawn> draw_schedules(const StageGraph &graph, const Hardware &hardware, size_t count,
                                  uint64_t seed, DrawFrom from = DrawFrom::Likely);

}  // namespace cryolite
