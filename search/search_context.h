// What the parts of one search share: what was asked, the limits, the threads, and what is known so far.
#pragma once

#include <vector>

#include "base/log.h"
#include "search/effort.h"
#include "search/memory_plan.h"
#include "search/options.h"
#include "search/refinement/freezing.h"
#include "search/refinement/twins.h"
#include "search/statistics.h"
#include "search/time_budget.h"
#include "search/workers.h"

namespace cryolite {

struct SearchContext {
    // All references must outlive the context.
    SearchContext(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
                  const Effort &effort, const Log &log, const CompileBudget &budget);
    SearchContext(const SearchContext &) = delete;
    SearchContext &operator=(const SearchContext &) = delete;

    const StageGraph &graph;
    const Hardware hardware;
    const SearchOptions &options;
    const Effort effort;
    const Log &log;
    TimeBudget time;
    MemoryPlan memory;
    Workers workers;
    Freezing frozen;
    SearchStatistics statistics;
    const std::vector<FuncId> order;
    const Twins twins;

    // Whether the deadline has passed. If so, statistics tell.
    bool passed(const Deadline &deadline);
    // Memos are forgotten where the process has grown by more than the plan counts: the result does not depend on them.
    void forget_memos_near_limit();
};

}  // namespace cryolite
