// The search: from a StageGraph and a Machine to a complete schedule.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analytical/cost_model.h"
#include "base/log.h"
#include "search/effort.h"
#include "search/options.h"
#include "search/statistics.h"

namespace cryolite {

struct SearchResult {
    LoopNest nest;      // complete; refers to the graph it was searched for
    ScheduleTime time;  // predicted, with the parts per stage
    SearchStatistics statistics;
    // To fall back on where Halide cannot lower `nest` in time: complete, and each with much shorter
    // chains of Funcs computed inside of each other's loops than the one before (alternatives.h).
    std::vector<LoopNest> shallower;
};

// Beam search from outputs to inputs (OOPSLA 2021, section 4): for every Func where it is computed,
// then how its loops are shaped. Never fails: at a limit the best state so far is finished with plain
// choices, in time. Same result for the same seed, on any number of threads, unless the time limit is hit.
SearchResult search(const StageGraph &graph, const Machine &machine, const SearchOptions &options,
                    const Log &log = {});

// The same with an effort that the caller has set, for benchmarks and tests.
SearchResult search(const StageGraph &graph, const Machine &machine, const SearchOptions &options,
                    const Effort &effort, const Log &log = {});

// Every Func at root, innermost dimension vectorised, outermost parallel: the schedule that a
// cautious user writes, and the fallback for everything.
LoopNest plain_schedule(const StageGraph &graph, const Machine &machine);

// The same, but what reads a Func that the user has scheduled, or is read by one, keeps the loops that
// Halide gives it, and is inlined where it can be: little is changed of what the user's Func is asked for.
LoopNest careful_schedule(const StageGraph &graph, const Machine &machine);

// The plain schedule's loops, for a stage of a Func that is at root with default loops.
std::vector<Action> plain_loops(const LoopNest &nest, StageId stage, const Machine &machine);

// Finishes a partial state with plain choices.
LoopNest finish_plainly(LoopNest nest, const Machine &machine);

}  // namespace cryolite
