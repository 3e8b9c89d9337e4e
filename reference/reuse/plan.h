// A schedule for CPUs as the thesis's chapter 5 describes one: which Funcs go together, where each
// is computed and stored, tile sizes, loop orders, vectorised and parallel loops. Plain data, from
// which a later step makes actions.
#pragma once

#include <string>
#include <vector>

#include "reference/reuse/segmentation.h"

namespace cryolite::reuse {

// The loops of a stage that is not tiled.
struct StageLoops {
    StageId stage;
    std::vector<int> order;  // of Stage::loops, innermost first
    int vector_loop = -1;    // index into Stage::loops; -1: none
    int64_t vector_width = 1;
    int parallel_loop = -1;  // only for stages at root
};

struct MemberPlan {
    FuncId func;
    StageLevels levels;
    bool slides = false;             // stored outside of where it is computed, in a circular buffer
    std::vector<StageLoops> stages;  // none if inlined
};

struct SegmentPlan {
    TiledSegment tiled;  // nest: the loops of the driving stage; segment, levels and costs
    std::vector<MemberPlan> members;
    std::vector<StageLoops> other_stages;  // of the output, at root
    // An extern stage or scheduled by the user: nothing is to be said of the output.
    bool left_alone = false;
};

struct Plan {
    std::vector<SegmentPlan> segments;  // consumers first
    double total = 0;                   // sum of the segments' costs (algorithm 6)
    size_t segments_analysed = 0;
};

// The whole flow of figure 5.9: every segment as large as legality allows; what does not fit its
// caches goes through algorithms 7 and 8.
Plan plan_by_reuse(const StageGraph &graph, const CacheBudget &machine, const Options &options);

// As people read it, a line per Func.
std::string to_text(const StageGraph &graph, const Plan &plan);

}  // namespace cryolite::reuse
