// What is said of a schedule's misses, by those who say something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "schedule/loop_nest.h"

namespace cryolite::bench {

// A core without prefetchers, whose first caches are simulated: as cachegrind's first and last level.
Machine cachegrind_machine();
constexpr size_t num_simulated_caches = 2;

struct Prediction {
    std::string predictor;
    // Lines missed per simulated cache in one run; nothing if it has nothing to say.
    std::optional<std::vector<double>> misses;
};

// `model`: the cost model's traffic. `thesis`: equations (4.2) to (4.10) at the levels of reuse of a
// tile. `thesis_fitted`: the same equations where the caches' sizes choose the levels. The last two
// know single nests: each stage is one, and nothing is said of Funcs computed inside others.
std::vector<Prediction> predict(const LoopNest &nest, const Machine &machine);

}  // namespace cryolite::bench
