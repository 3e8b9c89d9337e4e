// The features of a stage under a schedule, for any target and for a CPU. Each group is one function in a file of
// its own. The groups count nothing themselves: they put KernelWork's counts into rows.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "code/stage/inner_loops.h"
#include "featurize/counts/kernel_work.h"
#include "featurize/rows/stage_levels.h"
#include "featurize/schema.h"
#include "featurize/thesis/row_limits.h"

namespace cryolite {

// The indices in Machine::caches of the caches that StageContext::reuse has.
inline std::array<size_t, 3> reuse_caches(const Machine &machine) {
    const size_t last = machine.caches.empty() ? 0 : machine.caches.size() - 1;
    return {0, std::min<size_t>(1, last), last};
}

// The parallel loops around the stage.
struct Tasks {
    double own = 1, enclosing = 1;  // iterations of the stage's own ones, and of other Funcs'
    double total() const { return own * enclosing; }
    // Tasks of the busiest core.
    double per_core(int cores) const;
};
Tasks tasks_of(const StageCode &code);

// A stage of a kernel, and the row that is filled for it.
struct StageContext {
    const StageGraph &graph;
    const Machine &machine;
    const KernelWork &kernel;
    const StageWork &work;
    const Member &member;
    const Func &func;
    double kernel_bytes;            // stored at root or in the kernel's loops
    thesis::RowLimits &row_limits;  // of the machine
    StageLevels levels;
    const InnerLoops &inner;
    // By cache: the position (see StageLevels) of one iteration of its reuse loop. This is the outermost loop whose
    // iterations touch no more than the cache holds for one core; so do all loops inside of it. 0: the whole kernel
    // fits. stack.size() + 1: not even one iteration of the innermost loop fits.
    std::array<size_t, 3> reuse;  // L1, L2, last level
    Tasks tasks;
    std::span<double>
        row;  // num_features long; at first without a schedule's features but the expanded ones

    double &at(Feature f) const { return row[index(f)]; }
};

// Sets the features of the stage with all that is inlined into it: operations, loads, registers.
void expanded_features(const StageGraph &graph, const Stage &stage, const ExpandedStage &body,
                       std::span<double> row);

void find_reuse_levels(StageContext &c);  // fills StageContext::reuse

void point_features(const StageContext &c);  // and storage
void task_features(const StageContext &c);   // needs points_computed
void touched_features(const StageContext &c);
void working_set_features(const StageContext &c);
void vector_features(const StageContext &c);  // needs points_per_production
void locality_features(const StageContext &c);
void reuse_features(const StageContext &c);  // needs points_computed

// The share of the vector accesses at consecutive elements that are known to be aligned (alignment.cpp).
double aligned_share(const StageContext &c);

}  // namespace cryolite
