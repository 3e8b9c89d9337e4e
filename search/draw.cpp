#include "search/draw.h"

#include <algorithm>
#include <unordered_set>

#include "analytical/cost_model.h"
#include "base/random.h"
#include "search/memory_plan.h"
#include "search/search.h"

namespace cryolite {
namespace {

// From what a good model might confuse to what a user might write without one.
constexpr double noises[] = {1.1, 1.5, 2.5, 6};
// At random there is no advantage to see.
constexpr double noises_of_any[] = {1000};
constexpr int64_t greedy[] = {1};
constexpr size_t attempts_per_schedule = 4;

template <typename T>
T one_of(std::span<const T> values, Random &random) {
    return values[random.below(values.size())];
}

}  // namespace

Drawn disturbed_search(const StageGraph &graph, const Hardware &hardware, SearchOptions options,
                       const Effort &full, const Disturbances &from, Random random) {
    Effort e = full;
    e.beam_size = one_of(from.beam_sizes, random);
    e.passes = 1;
    e.tilings = std::max<int64_t>(2, full.tilings >> random.below(3));
    e.refine = false;
    options.cost_noise = one_of(from.noises, random);
    options.seed = static_cast<int64_t>(random() >> 1);
    return {search(graph, hardware, options, e).nest, options.cost_noise, e.beam_size, e.tilings};
}

std::vector<Drawn> draw_schedules(const StageGraph &graph, const Hardware &hardware, size_t count,
                                  uint64_t seed, DrawFrom from) {
    SearchOptions options;
    options.time_limit_seconds = 1e6;  // the same on every computer
    options.seed = static_cast<int64_t>(seed);
    const Effort full = effort(graph, options);
    const Disturbances disturbances = from == DrawFrom::Any ? Disturbances{noises_of_any, greedy}
                                                            : Disturbances{noises, mostly_greedy};
    std::vector<Drawn> drawn;
    if (count == 0) return drawn;
    drawn.push_back({search(graph, hardware, options).nest, 1, full.beam_size, full.tilings});
    std::unordered_set<uint64_t> seen{drawn[0].nest.hash()};
    CostModel model(graph, hardware,
                    MemoryPlan(options.memory_limit_bytes, std::nullopt).memo_bytes(1),
                    KernelMemo::Costs);
    options.model = &model;
    for (size_t i = 1; i < attempts_per_schedule * count && drawn.size() < count; i++) {
        Drawn d = disturbed_search(graph, hardware, options, full, disturbances,
                                   Random(seed).fork("schedule", i));
        if (seen.insert(d.nest.hash()).second) drawn.push_back(std::move(d));
    }
    return drawn;
}

}  // namespace cryolite
