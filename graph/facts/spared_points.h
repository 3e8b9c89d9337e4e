// Which readers a predicate (RDom::where) spares points of what they read.
#pragma once

#include <span>
#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// Sets Edge::predicate_spares. A reader whose predicate narrows its loops needs fewer points of a Func than its loops
// walk. That spares the Func nothing if a reader without such a predicate needs all that these loops walk anyway, at
// any size: of causal attention, the maximum over `r <= t` and the softmax over all r read the same scores.
void find_spared_points(const std::vector<Func> &funcs, const std::vector<Stage> &stages,
                        std::vector<Edge> &edges);

}  // namespace cryolite
