// What is said of an action that is refused.
#pragma once

#include <string>

#include "code/legality/apply.h"
#include "schedule/loop_nest.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite::testing {

// Of `action` after those `before`: the reason's name, or "accepted".
inline std::string refusal(const StageGraph &graph, const Trace &before, const Action &action) {
    const Result<LoopNest, ReplayFailure> nest = replay(graph, before);
    if (!nest)
        return "action " + std::to_string(nest.error().failed_at) +
               " of the way there: " + name(nest.error().reason);
    const Result<LoopNest, Reason> next = cryolite::apply(*nest, action);
    return next ? "accepted" : name(next.error());
}

// A blur of two Funcs, and what actions on it need.
struct Blur {
    StageGraph graph = blur_graph();
    FuncId out = graph.find("out"), blur_x = graph.find("blur_x"), in = graph.find("in");
    StageId s = graph.func(out).stages[0], bx = graph.func(blur_x).stages[0];
    LoopName x{s, 0, 0}, y{s, 1, 0};
    action::ComputeRoot root{out};
};

}  // namespace cryolite::testing
