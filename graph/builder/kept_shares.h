// Which operations the copies keep when a reduction loop, or a loop over channels, is unrolled whole. In each copy the
// loop is a number, so a select or mux whose condition depends on nothing else goes one way. For example, if an
// update's value is mux(r, {twelve operations}), each of its twelve copies keeps one operation. The copies of a pure
// loop that begins at a multiple of its period (StageLoop::period) know their place in the period: in two rows of
// select(y % 2 == 0, a, b), each computes one side.
#pragma once

#include <span>
#include <vector>

#include "graph/halide/expression_dag.h"
#include "graph/stage_graph.h"

namespace cryolite {

// [node of `dag`][loop of the stage]: the share of copies that keep the node's own operation if only that loop is
// unrolled. Empty if every copy keeps it.
// roots: the nodes that the stage evaluates. The variables in `dag` have the names of `loops`. Of pure loops those with
// StageLoop::channels or a period take part.
std::vector<std::vector<float>> kept_shares(const ExpressionDag &dag, std::span<const int> roots,
                                            std::span<const StageLoop> loops);

}  // namespace cryolite
