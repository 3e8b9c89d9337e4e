// States of the beam and the choice of those that go on.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "analytical/costed_nest.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct BeamState {
    LoopNest nest;
    double seconds = 0;  // predicted run time, more where compiling takes too long (overprice())
    double compile_seconds = 0;
    std::shared_ptr<const CostedNest> parent = nullptr;  // by whose costs it is costed quickly
    double expected_seconds = 0;  // once the next Funcs are decided too (outlook.h); 0: not known

    // By which states are compared.
    double rank_seconds() const { return expected_seconds > 0 ? expected_seconds : seconds; }
    // Of states that cost the same, the one that compiles faster.
    bool operator<(const BeamState &other) const {
        return std::pair(rank_seconds(), compile_seconds) <
               std::pair(other.rank_seconds(), other.compile_seconds);
    }
};

// What a state offers the Func that is decided next: where its readers live, and the shape of the
// loops of the kernels that they are in, in powers of 2^coarseness. States that offer the same fall
// together, however else they differ.
uint64_t structure_hash(const LoopNest &nest, FuncId next, int coarseness);

// The `size` states that go on: half by cost alone; the others are the best of each structure in
// turn, so that states that differ in what matters next are not crowded out by near copies of the
// cheapest one (hierarchical sampling, OOPSLA 2021 section 4.3). Sorted by cost; ties by what compiling
// takes, then by hash. Duplicates (equal decisions) are dropped and counted. next: invalid after the last
// Func, or to let cost alone decide.
std::vector<BeamState> select(std::vector<BeamState> candidates, size_t size, FuncId next,
                              int coarseness, uint64_t *duplicates);

// States that cost this much more than the best are as good: the model errs by far more.
constexpr double as_good = 1.02;
// For its place a state of the same quality has to save a fifth of what compiling the best one takes: a
// prediction of compile time that is less far away says little, and what the model prefers is worth more.
constexpr double much_simpler = 0.8;
// And so many seconds at least. Below that nobody notices the compiler, and the program may well be slower: the
// four apps in which the simpler state saved 1 to 3 s ran 13 % longer by it (geometric mean, Zen 5).
constexpr double noticeable_seconds = 3;

// The one that compiles the fastest of all that are as good as the best one, cost at most `limit_seconds`
// and are much simpler; the best one where there is none.
BeamState simplest(const std::vector<BeamState> &states, const BeamState &best,
                   double limit_seconds);

}  // namespace cryolite
