// How cores share the work, and the iterations of the loops.
#include <algorithm>
#include <cmath>

#include "featurize/rows/cpu_features.h"
#include "schedule/func_nest.h"

namespace cryolite {

double Tasks::per_core(int cores) const { return std::ceil(total() / std::max(1, cores)); }

Tasks tasks_of(const StageCode &code) {
    Tasks tasks;
    for (size_t p = 0; p < code.stack.size(); p++) {
        if (code.stack[p].kind != LoopKind::Parallel) continue;
        // The last iteration is a task too, even if it has fewer points.
        if (p < code.enclosing)
            tasks.enclosing *= code.stack[p].extent;
        else
            tasks.own *= static_cast<double>(code.nest->loops[p - code.enclosing].extent);
    }
    return tasks;
}

void task_features(const StageContext &c) {
    const Tasks &tasks = c.tasks;
    const double productions = c.at(Feature::productions);
    const int cores = std::max(1, c.machine.cores);
    c.at(Feature::tasks_own) = tasks.own;
    c.at(Feature::tasks_enclosing) = tasks.enclosing;
    c.at(Feature::core_use) = tasks.total() / (cores * tasks.per_core(cores));
    const StageNest &nest = *c.work.code->nest;
    const size_t first = first_parallel(nest);
    c.at(Feature::parallel_launches) = first < nest.loops.size() ? productions : 0;
    for (size_t p = 0; p < first && p < nest.loops.size(); p++)
        c.at(Feature::parallel_launches) *= static_cast<double>(nest.loops[p].extent);
    c.at(Feature::points_per_task) = c.at(Feature::points_computed) / tasks.total();
    c.at(Feature::points_per_core) = c.at(Feature::points_per_task) * tasks.per_core(cores);

    c.at(Feature::innermost_extent) = c.inner.serial.empty() ? 1 : c.inner.serial[0].extent;
    c.at(Feature::innermost_is_reduction) =
        !c.inner.serial.empty() && c.work.code->stage->loops[c.inner.serial[0].dim].is_reduction;
    double trips = productions;
    for (const LoopLevel &l : c.work.code->nest->loops) {
        if (l.kind == LoopKind::Vectorized || l.kind == LoopKind::Unrolled) continue;
        trips *= static_cast<double>(l.extent);
        c.at(Feature::loop_iterations) += trips;
    }
}

}  // namespace cryolite
