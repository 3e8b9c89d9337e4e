// The features of a stage under a schedule, for any target and for a CPU: one function per group, each
// in a file of its own. They add nothing to what KernelWork has counted but put it into rows.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "code/stage/inner_loops.h"
#include "featurize/kernel_work.h"
#include "featurize/schema.h"
#include "featurize/stage_levels.h"
#include "featurize/thesis/row_limits.h"

namespace cryolite {

// Which of Machine::caches StageContext::reuse is about.
inline std::array<size_t, 3> reuse_caches(const Machine &machine) {
    const size_t last = machine.caches.empty() ? 0 : machine.caches.size() - 1;
    return {0, std::min<size_t>(1, last), last};
}

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
    // By cache: the position (see StageLevels) of one iteration of its reuse loop, the outermost loop, or the kernel,
    // such that it and all loops inside touch no more per iteration than the cache holds for one core. Beyond the
    // innermost: not even one iteration of the innermost loop fits.
    std::array<size_t, 3> reuse;  // L1, L2, last level
    std::span<double> row;        // of num_features, zeros and the algorithm's features so far

    double &at(Feature f) const { return row[index(f)]; }
};

// How the loops around the stage are shared out.
struct Tasks {
    double own = 1, enclosing = 1;  // iterations of parallel loops
    double total() const { return own * enclosing; }
    // Tasks of the core that has the most.
    double per_core(int cores) const;
};
Tasks tasks_of(const StageContext &c);

void find_reuse_levels(StageContext &c);  // fills StageContext::reuse

void point_features(const StageContext &c);  // and storage, and what is inlined
void task_features(const StageContext &c);   // needs points_computed
void touched_features(const StageContext &c);
void working_set_features(const StageContext &c);
void vector_features(const StageContext &c);
void locality_features(const StageContext &c);
void reuse_features(const StageContext &c);  // needs points_computed

// Of the vector accesses at consecutive elements, the share known to be aligned: see alignment.cpp.
double aligned_share(const StageContext &c);

}  // namespace cryolite
