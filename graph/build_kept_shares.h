// What is left of a stage's expressions in the copies that unrolling a reduction loop whole makes: in each
// the loop is a number, and a select or mux that asks for nothing else goes one way only. Of an update
// whose value is mux(r, {twelve operations}), each of twelve copies keeps one operation.
#pragma once

#include <span>
#include <vector>

#include "graph/expression_dag.h"
#include "graph/stage_graph.h"

namespace cryolite {

// By node of `dag`: per loop of the stage the share of its copies that keep the node's own operation, if
// that loop is unrolled and no other. Empty where every copy keeps it. roots: what the stage evaluates.
// Loops of `loops` have the names of the variables in `dag`.
std::vector<std::vector<float>> kept_shares(const ExpressionDag &dag, std::span<const int> roots,
                                            std::span<const StageLoop> loops);

}  // namespace cryolite
