// What the rooms say of a LoopNest against what its run has counted. Every check returns the
// disagreements, one a line; empty where there are none. What is exact and what is a bound, and why,
// stands at each.
#pragma once

#include <string>

#include "base/random.h"
#include "tests/oracle/counts.h"

namespace cryolite::oracle {

// A LoopNest and its two runs.
struct Subject {
    const RandomGraph &drawn;
    const LoopNest &nest;
    Counts exact;    // Tails::Exact
    Counts emitted;  // Tails::Emitted

    Subject(const RandomGraph &graph, const LoopNest &of);
    const StageGraph &graph() const { return drawn.graph; }

    // All productions of the Funcs around `f` are alike as emitted: no tail is cut off, no region
    // changes with where it is, no reader rounds up and asks for more. Only then does the one in
    // mid-range speak for all.
    bool uniform_around(FuncId f) const;

    // Regions follow each other exactly: see RandomGraph::tight, and no window stands, in mid-range, at
    // its start or where an uneven step has added less than usual.
    bool tight = true;
    // In mid-range some window stands at its start: more is computed than a room would say.
    bool window_starts = false;
};

// The run itself: all that is read has been computed.
std::string check_run(const Subject &subject);
// compute_region, store_region, required_region, the ranges of stages, windows, root regions.
std::string check_regions(const Subject &subject);
// ExpandedStage: operations, inlined calls, loads and which of them neighbouring iterations share.
std::string check_expansion(const Subject &subject);
// KernelWork: loops, runs, boxes and what follows from them, storage, working sets.
std::string check_work(const Subject &subject);
// The rows of features.h: those that are geometry.
std::string check_features(const Subject &subject);
// stage_mapping.h: every address of the block in mid-range.
std::string check_mapping(const RandomGraph &drawn, const LoopNest &nest);
// footprint.h on a random box in random storage, without any schedule.
std::string check_memory(Random random);
// featurize/gpu/access.h on a random mapping: every lane's address.
std::string check_gpu(Random random);

}  // namespace cryolite::oracle
