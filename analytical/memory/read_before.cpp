#include "analytical/memory/read_before.h"

#include <algorithm>

namespace cryolite {
namespace {

// In one iteration of a loop around both. Consumers have the lower ids.
bool runs_before(const StageWork &v, const StageWork &w) {
    const Stage &a = *v.code->stage, &b = *w.code->stage;
    return a.func == b.func ? a.index < b.index : a.func > b.func;
}

size_t common_loops(const LoopStack &a, const LoopStack &b) {
    size_t n = 0;
    while (n < a.size() && n < b.size() && a[n].id == b[n].id) n++;
    return n;
}

double points_of_both(const Box &a, const Box &b) {
    double n = 1;
    for (size_t d = 0; d < a.size(); d++)
        n *= static_cast<double>(
            Interval{std::max(a[d].min, b[d].min), std::min(a[d].max, b[d].max)}.extent());
    return n;
}

}  // namespace

ReadBefore::ReadBefore(const KernelWork &work, const StageWork &w, const Accesses &a)
    : accesses_(a) {
    if (a.reach.empty()) return;
    for (const StageWork &v : work.stages()) {
        if (!runs_before(v, w)) continue;
        const size_t common = common_loops(v.code->stack, w.code->stack);
        if (common == 0) continue;
        const double lines = work.working_lines(v.code->stack[common - 1].id);
        for (const Accesses &r : v.reads)
            if (r.producer == a.producer && !r.reach.empty())
                readers_.push_back({&r, common, lines});
    }
}

double ReadBefore::share(size_t p, const CacheRoom &room) const {
    double most = 0;
    for (const Reader &r : readers_) {
        // Lines that w keeps across iterations of the common loops are met by the other stage in any of them, a few
        // iterations earlier or later.
        const size_t level = std::min(p, r.common);
        const Reach &mine = accesses_.reach[level], &other = r.accesses->reach[level];
        const double all = points(mine.box);
        if (all <= 0) continue;
        const double met = points_of_both(mine.box, other.box) / all * other.density;
        most = std::max(most, met * room.kept_beside(0, r.lines));
    }
    return most;
}

}  // namespace cryolite
