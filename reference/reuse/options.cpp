#include "reference/reuse/options.h"

#include <algorithm>

namespace cryolite::reuse {

CacheBudget cache_budget(const Machine &machine, int threads) {
    CacheBudget budget;
    budget.threads = std::max(1, threads);
    budget.vector_bytes = machine.vector_bytes;
    if (machine.caches.empty()) return budget;
    const auto share = [&](const CacheLevel &cache) {
        const int sharing = std::clamp(cache.cores_sharing, 1, budget.threads);
        return static_cast<double>(cache.size_bytes) / sharing;
    };
    budget.line_bytes = machine.line_bytes();
    budget.l2_bytes = share(machine.caches[std::min<size_t>(1, machine.caches.size() - 1)]);
    budget.last_level_bytes = share(machine.caches.back());
    return budget;
}

}  // namespace cryolite::reuse
