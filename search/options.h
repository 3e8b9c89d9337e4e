// What a caller may ask of the search.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analytical/correction.h"
#include "base/deadline.h"
#include "schedule/loop_nest.h"

namespace cryolite {

class CostModel;

struct SearchOptions {
    int64_t beam_size = 0;   // 0: by the length of the pipeline, see effort.h
    int64_t num_passes = 0;  // 0: by the length of the pipeline, see effort.h
    int64_t seed = 0;
    int64_t threads = 0;  // that the search runs on; 0: as many as the computer has
    // Tilings tried per placement of a Func, drawn at random from the seed. Long pipelines get fewer.
    int64_t tilings_per_placement = 48;
    double time_limit_seconds = 20;  // for the whole search
    Deadline deadline;               // the caller's own; the earlier of both limits ends the search
    // How much the process may grow, see memory_plan.h.
    int64_t memory_limit_bytes = int64_t{900} << 20;
    // Predicted seconds of compilation on one core (compile_cost.h). A schedule that takes longer is priced up
    // (overprice()), so that one that runs nearly as fast and compiles faster wins. The budget is for a pipeline
    // whose plain schedule compiles in 5 seconds or less. If the plain schedule takes k times as long, the
    // budget is k times as large. 0: no limit.
    // Whatever the budget, simplest() in beam.h may choose a schedule within 2 % of the best run time. It must
    // compile in less than 0.8 of the best one's time, and at least 3 seconds sooner. Half a per cent at most is given
    // up for simpler loops of Funcs that take next to no time (refinement/economy.h).
    double compile_budget_seconds = 30;
    // Predicted seconds of Halide's lowering alone, whatever the length of the pipeline; for callers that lower
    // the schedule under a time limit. 0: no limit.
    double lowering_budget_seconds = 0;
    // Nothing is pruned or drawn: every candidate of the space on every state. For tests.
    bool exhaustive = false;
    // Whether a kernel's cost is remembered. Without memos the search finds the same in more time. For
    // benchmarks.
    bool remember_kernels = true;
    // The seed disturbs kernels' costs by up to this factor (cost_noise.h): different seeds then find different
    // schedules that still make sense. The reported costs are undisturbed. 1: no noise.
    double cost_noise = 1;
    // How many complete schedules are wanted, each of another structure (candidates.h).
    int64_t candidates = 1;
    // Complete schedules of the graph. The beam also tries their decisions, Func by Func. The result costs no more than
    // any of them, but for what simplest() gives up for compile time.
    std::vector<LoopNest> plans;
    // A complete schedule of the graph to improve. It is refined, and one more pass tries its decisions beside those of
    // what was found without it. The result costs no more than the start, however fast that compiles. It also costs no
    // more than without a start, unless the time limit ends the search; simplest() may give up 2 % of that.
    std::optional<LoopNest> start;
    // A product that a tile kernel can compute must have one (StageGraph::products()): states without it are priced up
    // beyond all others.
    bool require_tensor_cores = false;
    // What was learned from measurements; null: the analytical model as it is.
    std::shared_ptr<const Correction> correction;
    // A model that remembers the kernels of earlier searches of the same graph on the same hardware. The search then
    // runs on one thread. It sets the noise and the correction, and its result does not depend on what is remembered.
    // Null: models of its own.
    CostModel *model = nullptr;
};

}  // namespace cryolite
