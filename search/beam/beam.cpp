#include "search/beam/beam.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"

namespace cryolite {
namespace {

// A state that costs this many times the best one is not kept for its structure.
constexpr double diversity_factor = 2.0;

int floor_log2(int64_t v) {
    int n = 0;
    while (v > 1) {
        v /= 2;
        n++;
    }
    return n;
}

// What a state offers the Func that is decided next: where its readers live, and the loops of the kernels that
// they are in, with spans in powers of 2^coarseness. States that offer the same have one structure, however else
// they differ.
uint64_t structure_hash(const LoopNest &nest, FuncId next, int coarseness) {
    const StageGraph &graph = nest.graph();
    Hasher h;
    std::vector<FuncId> work{next};
    for (size_t visited = 0; visited < work.size() && visited < 8; visited++) {
        for (EdgeId e : graph.func(work[visited]).outgoing) {
            FuncId reader = graph.func_of(graph.edge(e).consumer).id;
            const FuncNest *placed = &nest.at(reader);
            h.add(static_cast<uint64_t>(reader.value))
                .add(static_cast<uint64_t>(placed->placement));
            if (placed->placement == Placement::Inline) {
                if (std::ranges::find(work, reader) == work.end()) work.push_back(reader);
                continue;
            }
            while (placed->compute_at) {
                const LoopName at = *placed->compute_at;
                h.add(static_cast<uint64_t>(at.stage.value));
                h.add(static_cast<uint64_t>(at.dim)).add(static_cast<uint64_t>(at.level));
                placed = &nest.at(graph.func_of(at.stage).id);
            }
            for (const StageNest &s : placed->stages)
                for (const LoopLevel &l : s.loops) {
                    if (l.kind == LoopKind::Unrolled || l.kind == LoopKind::Vectorized) continue;
                    h.add(static_cast<uint64_t>(l.name.dim));
                    h.add(static_cast<uint64_t>(floor_log2(l.span) / coarseness));
                }
        }
    }
    return h.value();
}

}  // namespace

std::vector<BeamState> select(std::vector<BeamState> candidates, size_t size, FuncId next,
                              int coarseness, uint64_t *duplicates) {
    std::ranges::sort(candidates, [](const BeamState &a, const BeamState &b) {
        if (a < b || b < a) return a < b;
        return a.nest.hash() < b.nest.hash();
    });
    std::unordered_set<uint64_t> seen;
    const size_t before = candidates.size();
    std::erase_if(candidates,
                  [&](const BeamState &s) { return !seen.insert(s.nest.hash()).second; });
    *duplicates += before - candidates.size();
    if (candidates.size() <= size) return candidates;

    std::vector<bool> taken(candidates.size(), false);
    const size_t by_cost = next.valid() ? (size + 1) / 2 : size;
    for (size_t i = 0; i < by_cost; i++) taken[i] = true;
    size_t left = size - by_cost;
    if (left > 0) {
        // rank[i]: how many cheaper states have the same structure.
        std::unordered_map<uint64_t, size_t> uses;
        std::vector<std::pair<size_t, size_t>> by_rank;
        const double limit = candidates[0].rank_seconds() * diversity_factor;
        for (size_t i = 0; i < candidates.size() && candidates[i].rank_seconds() <= limit; i++) {
            const size_t rank = uses[structure_hash(candidates[i].nest, next, coarseness)]++;
            if (!taken[i]) by_rank.emplace_back(rank, i);
        }
        std::ranges::sort(by_rank);
        for (size_t k = 0; k < by_rank.size() && left > 0; k++, left--)
            taken[by_rank[k].second] = true;
        for (size_t i = by_cost; i < candidates.size() && left > 0; i++)
            if (!taken[i]) {
                taken[i] = true;
                left--;
            }
    }
    std::vector<BeamState> kept;
    for (size_t i = 0; i < candidates.size(); i++)
        if (taken[i]) kept.push_back(std::move(candidates[i]));
    return kept;
}

BeamState simplest(const std::vector<BeamState> &states, const BeamState &best,
                   double limit_seconds) {
    const auto key = [](const BeamState &s) {
        return std::tuple(s.compile_seconds, s.seconds, s.nest.hash());
    };
    const double limit = std::min(as_good * best.seconds, limit_seconds);
    const double compile_limit =
        std::min(much_simpler * best.compile_seconds, best.compile_seconds - noticeable_seconds);
    const BeamState *chosen = nullptr;
    for (const BeamState &s : states) {
        const bool may_win = s.seconds <= limit && s.compile_seconds < compile_limit;
        if (may_win && (!chosen || key(s) < key(*chosen))) chosen = &s;
    }
    return chosen ? *chosen : best;
}

bool is_worth_compiling(const BeamState &changed, const BeamState &state) {
    const double longer = std::max(0.0, changed.compile_seconds - state.compile_seconds);
    const double gain = std::min(1.0, longer / noticeable_seconds) * (as_good - 1);
    return changed.seconds * (1 + gain) < state.seconds;
}

}  // namespace cryolite
