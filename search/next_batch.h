// The schedules that a tuner measures next (OOPSLA 2021, section 6: one of a full beam search, the others greedy with
// disturbed costs). Beyond the paper, some are changes of the fastest schedules so far: what a measurement has shown to
// be good is a better start than what the model believes.
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "analytical/correction.h"
#include "machine/hardware.h"
#include "schedule/loop_nest.h"
#include "search/options.h"

namespace cryolite {

enum class Origin : uint8_t {
    Beam,       // what the search chooses
    Structure,  // the cheapest of another structure (candidates.h) that the search came by
    Greedy,     // the end of a short search with disturbed costs
    Any,        // the end of one whose costs are disturbed beyond recognition
    Changed     // a fast schedule with the decisions of one or two Funcs drawn anew
};
const char *name(Origin origin);

struct BatchOptions {
    size_t count = 80;
    // Of every search: seed, threads, limits, correction. A search's own random numbers depend on the seed too.
    SearchOptions search;
    // The fastest schedules that were measured, the fastest first. Half of the batch are changes of them.
    std::vector<LoopNest> fastest;
    // Of the greedy ones, the share that is drawn whatever the model says of them, for who learns from all kinds.
    double any_share = 0;
    // Hashes of schedules that are known already. None of them is drawn again.
    std::unordered_set<uint64_t> known;
};

struct BatchEntry {
    LoopNest nest;  // complete
    Origin origin;
    double predicted_seconds;  // with the correction, undisturbed
};

// At most `count` schedules, all different, in the order in which they are worth measuring: what the search chooses,
// then by their predicted seconds. Those that are predicted to be several times as slow are left out. Fewer if the
// pipeline has no more or at the deadline of the search. The same for the same options, on any number of threads,
// unless the deadline is hit.
std::vector<BatchEntry> next_batch(const StageGraph &graph, const Hardware &hardware,
                                   const BatchOptions &options);

}  // namespace cryolite
