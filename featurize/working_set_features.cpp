// What all that is computed inside a loop touches per iteration, and how much of the loops around a
// stage each cache can hold.
#include <algorithm>

#include "featurize/cpu_features.h"

namespace cryolite {
namespace {

double kernel_bytes(const KernelWork &kernel) {
    return kernel.root_bytes() + kernel.allocated_in_loops();
}

// Per iteration of the loop around position p, in bytes of whole lines.
double bytes_at(const StageContext &c, size_t p) {
    const size_t shared = c.machine.caches.size();  // not a private cache, whose sets collide
    return p == 0 ? kernel_bytes(c.kernel)
                  : c.kernel.working_set(c.work.code->stack[p - 1].id, shared);
}

struct Reuse {
    double bytes, points;
};

// The whole kernel counts as the outermost loop.
Reuse reuse(const StageContext &c, size_t cache, double cores) {
    const CacheLevel &level = c.machine.caches[cache];
    const double sharing = std::clamp<double>(level.cores_sharing, 1.0, cores);
    const double size = static_cast<double>(level.size_bytes) / sharing;
    const auto needs = [&](size_t p) {
        return p == 0 ? kernel_bytes(c.kernel)
                      : c.kernel.working_set(c.work.code->stack[p - 1].id, cache);
    };
    size_t p = c.work.code->stack.size() + 1;
    while (p > 0 && needs(p - 1) <= size) p--;
    if (p > c.work.code->stack.size()) return {needs(c.work.code->stack.size()), 0};
    return {needs(p), c.work.code->runs.back() / c.work.code->runs[p]};
}

}  // namespace

void working_set_features(const StageContext &c) {
    const StageLevels &l = c.levels;
    c.at(Feature::working_set_per_point) = bytes_at(c, l.innermost);
    c.at(Feature::working_set_per_vector) = bytes_at(c, l.vector);
    c.at(Feature::working_set_per_register_block) = bytes_at(c, l.register_block);
    c.at(Feature::working_set_per_innermost_run) = bytes_at(c, l.innermost_run);
    c.at(Feature::working_set_per_production) = bytes_at(c, l.production);
    c.at(Feature::working_set_per_realisation) = bytes_at(c, l.realisation);
    c.at(Feature::working_set_per_task) = bytes_at(c, l.task);
    c.at(Feature::working_set_of_kernel) = kernel_bytes(c.kernel);

    const size_t caches = c.machine.caches.size();
    if (caches == 0) return;
    const double cores = std::max(1.0, std::min<double>(c.machine.cores, tasks_of(c).total()));
    const auto put = [&](Feature bytes, Feature points, size_t cache) {
        const Reuse r = reuse(c, cache, cores);
        c.at(bytes) = r.bytes;
        c.at(points) = r.points;
    };
    put(Feature::reuse_bytes_l1, Feature::reuse_points_l1, 0);
    put(Feature::reuse_bytes_l2, Feature::reuse_points_l2, std::min<size_t>(1, caches - 1));
    put(Feature::reuse_bytes_last_level, Feature::reuse_points_last_level, caches - 1);
}

}  // namespace cryolite
