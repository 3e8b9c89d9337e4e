// What repeats along the dimensions of Funcs: colours that lie in a mosaic, upsampled pixels, x % 2.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/access.h"

namespace cryolite {

class StageGraph;

// Of one dimension of a Func.
struct Repetition {
    // The least common multiple of the periods (StageLoop::period) of the Func's stages and of what counts as inlined.
    int64_t period = 1;
    // Woven vectors take one way at a choice, or load with a whole stride what neighbours gather. Of x / 2 alone,
    // which neighbours load at once and spread, they gain nothing.
    bool pays_to_weave = false;
    // The least common multiple of the periods after which a choice repeats. So many iterations at once, unrolled, take
    // one way at each choice. 1: there is no choice, or only choices that repeat after more than `most_choices`.
    int64_t choices = 1;      // in the Func and in what counts as inlined
    int64_t choices_far = 1;  // in what it reads at any distance, too: that may be computed inside
};

// Copies that are unrolled, or vectors woven, by more than this take more code and shuffles than they save.
constexpr int64_t most_choices = 4;

// The period of a loop that moves an index by `step` per iteration, where the index has the given period.
int64_t period_of_loop(const Rational &step, int64_t period);

// Per Func and dimension. Func::assumed_inlined is filled in.
std::vector<std::vector<Repetition>> repetitions(const StageGraph &graph);

}  // namespace cryolite
