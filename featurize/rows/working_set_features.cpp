// The memory that one iteration of a loop touches, with all Funcs that are computed inside of it, and the loops whose
// iterations fit each cache.
#include <algorithm>

#include "featurize/rows/cpu_features.h"

namespace cryolite {
namespace {

// Bytes of whole lines that one iteration at position p touches.
double bytes_at(const StageContext &c, size_t p) {
    return p == 0 ? c.kernel_bytes : c.kernel.working_set(c.work.code->stack[p - 1].id);
}

}  // namespace

void find_reuse_levels(StageContext &c) {
    const LoopStack &stack = c.work.code->stack;
    const double cores = std::max(1.0, std::min<double>(c.machine.cores, c.tasks.total()));
    const std::array<size_t, 3> caches = reuse_caches(c.machine);
    for (size_t i = 0; i < caches.size() && !c.machine.caches.empty(); i++) {
        const CacheLevel &level = c.machine.caches[caches[i]];
        const double sharing = std::clamp<double>(level.cores_sharing, 1.0, cores);
        const double size = static_cast<double>(level.size_bytes) / sharing;
        size_t &p = c.reuse[i];
        p = stack.size() + 1;
        while (p > 0 && bytes_at(c, p - 1) <= size) p--;
    }
}

void working_set_features(const StageContext &c) {
    const StageLevels &l = c.levels;
    c.at(Feature::working_set_per_point) = bytes_at(c, l.innermost);
    c.at(Feature::working_set_per_vector) = bytes_at(c, l.vector);
    c.at(Feature::working_set_per_register_block) = bytes_at(c, l.register_block);
    c.at(Feature::working_set_per_innermost_run) = bytes_at(c, l.innermost_run);
    c.at(Feature::working_set_per_production) = bytes_at(c, l.production);
    c.at(Feature::working_set_per_realisation) = bytes_at(c, l.realisation);
    c.at(Feature::working_set_per_task) = bytes_at(c, l.task);
    c.at(Feature::working_set_of_kernel) = c.kernel_bytes;

    if (c.machine.caches.empty()) return;
    const size_t innermost = c.work.code->stack.size();
    const auto put = [&](Feature bytes, Feature points, size_t i) {
        const size_t p = c.reuse[i];
        c.at(bytes) = bytes_at(c, std::min(p, innermost));
        c.at(points) = p > innermost ? 0 : c.work.code->runs.back() / c.work.code->runs[p];
    };
    put(Feature::reuse_bytes_l1, Feature::reuse_points_l1, 0);
    put(Feature::reuse_bytes_l2, Feature::reuse_points_l2, 1);
    put(Feature::reuse_bytes_last_level, Feature::reuse_points_last_level, 2);
}

}  // namespace cryolite
