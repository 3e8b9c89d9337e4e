// States of the beam, and the selection of those that go on.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "analytical/costed_nest.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct BeamState {
    LoopNest nest;
    double seconds = 0;  // predicted run time, times overprice() where compiling takes too long
    double compile_seconds = 0;                          // predicted
    std::shared_ptr<const CostedNest> parent = nullptr;  // its costs give this one's quickly
    double expected_seconds = 0;  // once the next Funcs are decided too (outlook.h); 0: not known

    // Ranks states.
    double rank_seconds() const { return expected_seconds > 0 ? expected_seconds : seconds; }
    // Among states that cost the same, the one that compiles faster comes first.
    bool operator<(const BeamState &other) const {
        return std::pair(rank_seconds(), compile_seconds) <
               std::pair(other.rank_seconds(), other.compile_seconds);
    }
};

// The `size` states that go on. Half of them are the cheapest. The others are the best states of each structure
// in turn (hierarchical sampling, OOPSLA 2021 section 4.3): near copies of the cheapest state must not crowd
// out states that offer the next Func something else. A structure counts spans in powers of 2^coarseness.
// next: the Func decided next. Invalid: cost alone selects.
// The result is sorted by cost, then by compile time, then by hash. Of states with equal decisions one is kept;
// the others are added to *duplicates.
std::vector<BeamState> select(std::vector<BeamState> candidates, size_t size, FuncId next,
                              int coarseness, uint64_t *duplicates);

// A state that costs at most this many times the best is as good: the cost model errs by far more.
constexpr double as_good = 1.02;
// A state replaces an equally good one only if it compiles in this share of the time. The prediction of compile
// time cannot tell states apart that are closer. The preference of the cost model then weighs more.
constexpr double much_simpler = 0.8;
// It must also save this many seconds of compiling. Nobody notices fewer, and the program may well be slower.
// In four apps the simpler state saved 1 to 3 s; they ran 13 % longer by it (geometric mean, Zen 5).
constexpr double noticeable_seconds = 3;

// The state that compiles fastest among those that are as good as `best`, cost at most `limit_seconds` and are
// much simpler; `best` if there is none.
BeamState simplest(const std::vector<BeamState> &states, const BeamState &best,
                   double limit_seconds);

// Whether a change of `state` gains what its longer compiling is worth: the share that simplest() gives up, or in
// proportion less for fewer than noticeable_seconds. Otherwise many small gains add up to a program that takes twice as
// long to compile.
bool is_worth_compiling(const BeamState &changed, const BeamState &state);

}  // namespace cryolite
