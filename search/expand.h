// The children of one state: every placement of the next Func, every tiling of each.
#pragma once

#include <optional>
#include <vector>

#include "analytical/cost_model.h"
#include "search/beam.h"
#include "search/options.h"
#include "search/statistics.h"

namespace cryolite {

// What a schedule of the pipeline may take to compile, by its options.
CompileBudget compile_budget(const StageGraph &graph, const Machine &machine,
                             const SearchOptions &options);

class Expander {
public:
    // memo_bytes: see CostModel.
    Expander(const StageGraph &graph, const Machine &machine, const SearchOptions &options,
             int64_t memo_bytes = int64_t{256} << 20, CompileBudget budget = {});

    // Appends to `children`, until the deadline. Of each placement so many tilings are tried; pass and func
    // label the random draws.
    void expand(const BeamState &state, FuncId func, int64_t pass, int64_t tilings_per_placement,
                const Deadline &deadline, std::vector<BeamState> &children);

    // Appends the one child whose decision is made already, if it is not too large.
    void keep(const BeamState &state, LoopNest child, std::vector<BeamState> &children);

    // The state with its predicted time; nothing if it is too large. near: a state that differs little.
    std::optional<BeamState> evaluated(LoopNest nest, std::shared_ptr<const CostedNest> near);

    // The same of a state that is taken however large it is.
    BeamState priced(LoopNest nest);

    SearchStatistics &statistics() { return statistics_; }
    CostModel &model() { return model_; }

private:
    BeamState state_of(LoopNest nest, const ScheduleTime &time,
                       std::shared_ptr<const CostedNest> near) const;
    bool try_action(LoopNest &nest, const Action &action);
    void keep(LoopNest nest, const std::shared_ptr<const CostedNest> &parent,
              std::vector<BeamState> &children);

    const Machine &machine_;
    const SearchOptions &options_;
    CostModel model_;
    const CompileBudget budget_;
    SearchStatistics statistics_;
};

}  // namespace cryolite
