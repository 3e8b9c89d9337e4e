// The features of a stage under a schedule, for any target and for a CPU: one function per group, each
// in a file of its own. They add nothing to what KernelWork has counted but put it into rows.
#pragma once

#include <span>

#include "code/stage/inner_loops.h"
#include "featurize/kernel_work.h"
#include "featurize/schema.h"
#include "featurize/stage_levels.h"

namespace cryolite {

// A stage of a kernel, and the row that is filled for it.
struct StageContext {
    const StageGraph &graph;
    const Machine &machine;
    const KernelWork &kernel;
    const StageWork &work;
    const Member &member;
    const Func &func;
    StageLevels levels;
    InnerLoops inner;
    std::span<double> row;  // of num_features, zeros and the algorithm's features so far

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

void point_features(const StageContext &c);  // and storage, and what is inlined
void task_features(const StageContext &c);   // needs points_computed
void touched_features(const StageContext &c);
void working_set_features(const StageContext &c);
void vector_features(const StageContext &c);

// Of the vector accesses at consecutive elements, the share known to be aligned: see alignment.cpp.
double aligned_share(const StageContext &c);

}  // namespace cryolite
