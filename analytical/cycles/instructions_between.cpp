#include "analytical/cycles/instructions_between.h"

#include <algorithm>

#include "analytical/cycles/fetched_code.h"
#include "base/small_vector.h"

namespace cryolite {
namespace {

struct StageRuns {
    double copies = 0, instructions = 0;  // in the whole kernel
};

StageRuns runs_of(const StageCode &w, const Machine &machine) {
    const int lanes = w.inner.lanes;
    const double copies = w.runs.back() / std::max(1, lanes);
    return {copies, copies * instructions_of_copy(machine, *w.body, lanes)};
}

// [loop id]: the stages inside the loop that have values, in order.
using StagesInside = SmallVector<size_t, 6>;
std::vector<StagesInside> stages_by_loop(const KernelCode &code) {
    const std::vector<StageCode> &stages = code.stages();
    std::vector<StagesInside> inside(code.num_loops());
    for (size_t i = 0; i < stages.size(); i++)
        if (!stages[i].stage->is_undefined)
            for (const StackLoop &loop : stages[i].stack)
                inside[static_cast<size_t>(loop.id)].push_back(i);
    return inside;
}

}  // namespace

std::vector<OtherStages> instructions_between(const KernelCode &code, const Machine &machine) {
    const std::vector<StageCode> &stages = code.stages();
    std::vector<OtherStages> between(stages.size());
    if (stages.size() < 2) return between;
    std::vector<StageRuns> runs(stages.size());
    for (size_t i = 0; i < stages.size(); i++)
        if (!stages[i].stage->is_undefined) runs[i] = runs_of(stages[i], machine);
    const std::vector<StagesInside> inside = stages_by_loop(code);
    for (size_t i = 0; i < stages.size(); i++) {
        if (stages[i].stage->is_undefined) continue;
        const LoopStack &stack = stages[i].stack;
        size_t p =
            stack.size();  // will be 1 + the position of the innermost loop with others inside
        while (p > 0 && inside[static_cast<size_t>(stack[p - 1].id)].size() < 2) p--;
        if (p == 0) continue;
        double others = 0;
        for (size_t u : inside[static_cast<size_t>(stack[p - 1].id)])
            if (u != i) others += runs[u].instructions;
        const double iterations = stages[i].runs[p];
        if (others > 0 && iterations > 0)
            between[i] = {others / iterations, std::max(1.0, runs[i].copies / iterations)};
    }
    return between;
}

double instructions_of_copy(const Machine &machine, const ExpandedStage &body, int lanes) {
    double instructions = instructions_of(machine, body.ops, lanes);
    for (const LoadGroup &load : body.loads) instructions += load.count;
    return instructions;
}

}  // namespace cryolite
