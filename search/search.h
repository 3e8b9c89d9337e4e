// The search: from a StageGraph and a CPU or GPU to a complete schedule.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analytical/cost_model.h"
#include "base/log.h"
#include "search/effort.h"
#include "search/options.h"
#include "search/statistics.h"

namespace cryolite {

struct SearchResult {
    LoopNest nest;      // complete; refers to the graph that was searched
    ScheduleTime time;  // predicted, with the parts per stage
    SearchStatistics statistics;
    // Complete fallbacks, for when Halide cannot lower `nest` in time (alternatives.h). The first nests at most
    // half as deeply as `nest`, the second a quarter.
    std::vector<LoopNest> shallower;
    // The cheapest schedules of other structures that were found, the cheapest first: at most one fewer than
    // SearchOptions::candidates.
    std::vector<LoopNest> others;
};

// Beam search from outputs to inputs (OOPSLA 2021, section 4). It decides for every Func where it is computed,
// then how its loops are shaped. Never fails: at a limit it finishes the best state so far with plain choices.
// The same seed gives the same result on any number of threads, unless the time limit is hit.
SearchResult search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                    const Log &log = {});

// The same with an effort that the caller has set, for benchmarks and tests.
SearchResult search(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                    const Effort &effort, const Log &log = {});

// Another fallback: the complete schedule, refined while its compile time is priced as if an eighth of what is
// predicted for it were the limit. Takes as long as a round or two of the search's refinement, and at most until the
// options' limits.
LoopNest lightened(const LoopNest &complete, Hardware hardware, const SearchOptions &options);

// The complete schedule with only the Funcs in `free` decided anew, and what is computed in their loops, by one pass of
// the beam. It costs no more than `complete`.
SearchResult redecided(const LoopNest &complete, std::span<const FuncId> free, Hardware hardware,
                       const SearchOptions &options);

// Every Func at root, innermost dimension vectorised, outermost loop parallel; on a GPU a kernel each. This is what a
// cautious user writes, and the fallback for everything.
LoopNest plain_schedule(const StageGraph &graph, Hardware hardware);

// The plain schedule, changed near Funcs that the user has scheduled: the direct and indirect readers of such a
// Func, and the Funcs that it reads, are inlined where possible and else keep Halide's default loops. Little
// then changes in what is asked of the user's Func.
LoopNest careful_schedule(const StageGraph &graph, Hardware hardware);

// The plain schedule's loops on a CPU for a stage that has default loops.
std::vector<Action> plain_loops(const LoopNest &nest, StageId stage, const Machine &machine);

// Decides all undecided Funcs of a partial state plainly.
LoopNest finish_plainly(LoopNest nest, Hardware hardware);

}  // namespace cryolite
