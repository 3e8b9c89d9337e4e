// Complete schedules of small pipelines, written as the actions that matter: the cost model's parts
// are asked about those.
#pragma once

#include <stdexcept>
#include <string>

#include "code/legality/apply.h"
#include "machine/presets.h"
#include "schedule/loop_nest.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite::test {

// Any documented machine will do: what is tested holds on all.
inline const Machine &some_machine() { return machine_presets().front().machine; }

// The trace applied, and inlined what it does not mention: the Funcs that wrap inputs.
inline LoopNest scheduled(const StageGraph &graph, const Trace &trace) {
    const Result<LoopNest, ReplayFailure> nest = replay(graph, trace);
    if (!nest) {
        throw std::runtime_error("action " + std::to_string(nest.error().failed_at) + ": " +
                                 name(nest.error().reason));
    }
    LoopNest all = *nest;
    for (const Func &f : graph.funcs()) {
        if (f.is_input() || all.decided(f.id)) continue;
        const Result<LoopNest, Reason> next = apply(all, action::Inline{f.id});
        if (!next) throw std::runtime_error("inline " + f.name + ": " + name(next.error()));
        all = *next;
    }
    return all;
}

// The loop of a stage over a dimension of its Func; over its one reduction where func_dim is -1.
inline int16_t loop_over(const Stage &stage, int func_dim) {
    for (size_t d = 0; d < stage.loops.size(); d++) {
        const StageLoop &loop = stage.loops[d];
        if (func_dim < 0 ? loop.is_reduction : loop.func_dim == func_dim)
            return static_cast<int16_t>(d);
    }
    throw std::runtime_error("no such loop");
}

}  // namespace cryolite::test
