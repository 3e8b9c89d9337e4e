#include "analytical/instructions_between.h"

#include <algorithm>

#include "featurize/inner_loops.h"

namespace cryolite {
namespace {

struct StageRuns {
    double copies = 0, instructions = 0;  // in the whole kernel
};

StageRuns runs_of(const StageWork &w, const Machine &machine) {
    if (w.stage->is_undefined) return {};
    const int lanes = inner_loops(*w.nest).lanes;
    const double copies = w.runs.back() / std::max(1, lanes);
    return {copies, copies * instructions_of_copy(machine, *w.body, lanes)};
}

int position_in(const LoopStack &stack, int loop) {
    for (size_t p = 0; p < stack.size(); p++)
        if (stack[p].id == loop) return static_cast<int>(p);
    return -1;
}

}  // namespace

std::vector<OtherStages> instructions_between(const KernelWork &work, const Machine &machine) {
    const std::vector<StageWork> &stages = work.stages();
    std::vector<OtherStages> between(stages.size());
    if (stages.size() < 2) return between;
    std::vector<StageRuns> runs;
    runs.reserve(stages.size());
    for (const StageWork &w : stages) runs.push_back(runs_of(w, machine));
    for (size_t v = 0; v < stages.size(); v++) {
        const LoopStack &stack = stages[v].stack;
        double others = 0;
        // From the innermost loop outwards.
        for (size_t p = stack.size(); p-- > 0 && others == 0;) {
            for (size_t u = 0; u < stages.size(); u++)
                if (u != v && position_in(stages[u].stack, stack[p].id) >= 0)
                    others += runs[u].instructions;
            const double iterations = stages[v].runs[p + 1];
            if (others > 0 && iterations > 0)
                between[v] = {others / iterations, std::max(1.0, runs[v].copies / iterations)};
        }
    }
    return between;
}

}  // namespace cryolite
