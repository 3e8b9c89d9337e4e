#include "search/beam.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"

namespace cryolite {
namespace {

// A structure that is this much worse than the best state is not kept for diversity's sake.
constexpr double diversity_factor = 2.0;

int floor_log2(int64_t v) {
    int n = 0;
    while (v > 1) {
        v /= 2;
        n++;
    }
    return n;
}

}  // namespace

uint64_t structure_hash(const LoopNest &nest, int coarseness) {
    Hasher h;
    for (size_t i = 0; i < nest.graph().num_scheduled(); i++) {
        const FuncId f(i);
        if (!nest.decided(f)) continue;
        const FuncNest &n = nest.at(f);
        h.add(i).add(static_cast<uint64_t>(n.placement));
        if (n.compute_at)
            h.add(static_cast<uint64_t>(n.compute_at->stage.value))
                .add(static_cast<uint64_t>(n.compute_at->dim))
                .add(static_cast<uint64_t>(n.compute_at->level));
        if (n.placement == Placement::At) h.add(n.store_at == n.compute_at);
        for (const StageNest &s : n.stages)
            for (const LoopLevel &l : s.loops) {
                if (l.kind == LoopKind::Unrolled) continue;
                h.add(static_cast<uint64_t>(l.name.dim));
                if (l.kind != LoopKind::Vectorized)
                    h.add(static_cast<uint64_t>(floor_log2(l.span) / coarseness));
            }
    }
    return h.value();
}

std::vector<BeamState> select(std::vector<BeamState> candidates, size_t size, int coarseness,
                              uint64_t *duplicates) {
    std::ranges::sort(candidates, [](const BeamState &a, const BeamState &b) {
        return a.seconds != b.seconds ? a.seconds < b.seconds : a.nest.hash() < b.nest.hash();
    });
    std::unordered_set<uint64_t> seen;
    const size_t before = candidates.size();
    std::erase_if(candidates,
                  [&](const BeamState &s) { return !seen.insert(s.nest.hash()).second; });
    *duplicates += before - candidates.size();
    if (candidates.size() <= size) return candidates;

    std::vector<bool> taken(candidates.size(), false);
    const size_t by_cost = (size + 1) / 2;
    for (size_t i = 0; i < by_cost; i++) taken[i] = true;
    size_t left = size - by_cost;
    std::unordered_map<uint64_t, size_t> uses;
    for (size_t i = 0; i < by_cost; i++) uses[structure_hash(candidates[i].nest, coarseness)]++;
    const double limit = candidates[0].seconds * diversity_factor;
    for (size_t i = by_cost; i < candidates.size() && left > 0 && candidates[i].seconds <= limit;
         i++)
        if (uses[structure_hash(candidates[i].nest, coarseness)]++ == 0) {
            taken[i] = true;
            left--;
        }
    for (size_t i = by_cost; i < candidates.size() && left > 0; i++)
        if (!taken[i]) {
            taken[i] = true;
            left--;
        }
    std::vector<BeamState> kept;
    for (size_t i = 0; i < candidates.size(); i++)
        if (taken[i]) kept.push_back(std::move(candidates[i]));
    return kept;
}

}  // namespace cryolite
