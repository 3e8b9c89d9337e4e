// The children of one state: every placement of the next Func, every tiling of each.
#pragma once

#include <optional>
#include <vector>

#include "analytical/cost_model.h"
#include "search/beam/beam.h"
#include "search/beam/place_lessons.h"
#include "search/gpu/tensor_tiles.h"
#include "search/options.h"
#include "search/refinement/twins.h"
#include "search/statistics.h"

namespace cryolite {

// How long a schedule of the pipeline may compile, by its options.
CompileBudget compile_budget(const StageGraph &graph, Hardware hardware,
                             const SearchOptions &options);

// A state in which a Func is to be decided, and where it may be.
struct Places {
    struct Place {
        PlacementActions where;
        LoopNest nest;  // with the Func placed, in default loops unless it is inlined
    };
    std::shared_ptr<const CostedNest> parent;  // costs of the state
    std::vector<Place> places;
    std::vector<Decision> of_twins;  // that the Func may repeat
};

// The tilings to draw. They depend on the search's seed, pass and func alone: states then try the same, which memos
// remember.
struct TilingDraw {
    FuncId func;
    int64_t pass;
    int64_t per_placement;  // at root up to four times as many
};

class Expander {
public:
    // memo_bytes: memory for remembered kernels, see CostModel; unless the options bring a model.
    Expander(const StageGraph &graph, Hardware hardware, const SearchOptions &options,
             int64_t memo_bytes = int64_t{256} << 20, CompileBudget budget = {});

    // Where the Func may be in the state. None once the deadline has passed.
    Places places(const BeamState &state, FuncId func, const Deadline &deadline);

    // Appends the children in which the Func is decided at that place, until the deadline. Its tilings are tried, and
    // the loops that its twins have there. taught: loops to try; then half of the tilings are drawn. Null: all are.
    // Returns what was tried.
    std::vector<TriedLoops> expand(const Places &places, const Places::Place &place,
                                   const TilingDraw &draw,
                                   const std::vector<std::vector<Action>> *taught,
                                   const Deadline &deadline, std::vector<BeamState> &children);

    // Appends the children at all places, without lessons.
    void expand(const BeamState &state, const TilingDraw &draw, const Deadline &deadline,
                std::vector<BeamState> &children);

    // Appends `child`, whose decision is made already, unless it is too large.
    void keep(const BeamState &state, LoopNest child, std::vector<BeamState> &children);

    // The state with its predicted time; nothing if it is too large. It counts in the statistics.
    // near: the costs of a state that differs little.
    std::optional<BeamState> evaluated(LoopNest nest, std::shared_ptr<const CostedNest> near);
    std::optional<BeamState> evaluated(LoopNest nest);

    // The state with its predicted time, however large it is. It does not count in the statistics.
    BeamState evaluated_at_any_size(LoopNest nest);

    SearchStatistics &statistics() { return statistics_; }
    CostModel &model() { return model_; }

private:
    std::optional<BeamState> unless_too_large(LoopNest nest, const ScheduleTime &time,
                                              std::shared_ptr<const CostedNest> near);
    BeamState state_of(LoopNest nest, const ScheduleTime &time,
                       std::shared_ptr<const CostedNest> near) const;
    bool try_action(LoopNest &nest, const Action &action);
    void keep(LoopNest nest, const std::shared_ptr<const CostedNest> &parent,
              std::vector<BeamState> &children);

    const Hardware hardware_;
    const SearchOptions &options_;
    const std::unique_ptr<CostModel> own_model_;  // unless the options bring one
    CostModel &model_;
    const CompileBudget budget_;
    const UndecidedProducts undecided_products_;
    const Twins twins_;
    SearchStatistics statistics_;
};

}  // namespace cryolite
