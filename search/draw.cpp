#include "search/draw.h"

#include <algorithm>
#include <unordered_set>

#include "base/random.h"
#include "search/search.h"

namespace cryolite {
namespace {

// From what a good model might confuse to what a user might write without one.
constexpr double noises[] = {1.1, 1.5, 2.5, 6};
// Wider beams sometimes: a greedy search seldom ends with Funcs computed inside others, whose
// advantage shows only later.
constexpr int64_t beam_sizes[] = {1, 1, 8};
// At random there is no advantage to see.
constexpr double noise_of_any = 1000;
constexpr size_t attempts_per_schedule = 4;

template <typename T, size_t n>
T one_of(const T (&values)[n], Random &random) {
    return values[random.below(n)];
}

}  // namespace

std::vector<Drawn> draw_schedules(const StageGraph &graph, const Machine &machine, size_t count,
                                  uint64_t seed, DrawFrom from) {
    SearchOptions options;
    options.time_limit_seconds = 1e6;  // the same on every computer
    options.seed = static_cast<int64_t>(seed);
    const Effort full = effort(graph, options);
    std::vector<Drawn> drawn;
    if (count == 0) return drawn;
    drawn.push_back({search(graph, machine, options).nest, 1, full.beam_size, full.tilings});
    std::unordered_set<uint64_t> seen{drawn[0].nest.hash()};
    for (size_t i = 1; i < attempts_per_schedule * count && drawn.size() < count; i++) {
        Random random = Random(seed).fork("schedule", i);
        Effort e = full;
        e.beam_size = one_of(beam_sizes, random);
        e.passes = 1;
        e.tilings = std::max<int64_t>(2, full.tilings >> random.below(3));
        e.refine = false;
        options.cost_noise = one_of(noises, random);
        if (from == DrawFrom::Any) {
            e.beam_size = 1;
            options.cost_noise = noise_of_any;
        }
        options.seed = static_cast<int64_t>(random() >> 1);
        LoopNest nest = search(graph, machine, options, e).nest;
        if (seen.insert(nest.hash()).second)
            drawn.push_back({std::move(nest), options.cost_noise, e.beam_size, e.tilings});
    }
    return drawn;
}

}  // namespace cryolite
