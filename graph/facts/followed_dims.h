// Which dimensions of two Funcs walk the same dimension of what both read.
#pragma once

#include <vector>

#include "graph/stage_graph.h"

namespace cryolite {

// Per dimension of `f`, the dimension of `other` that walks the same dimension of some Func or input that both read,
// directly or through others; -1: none does. With out(x, y) = g(x, y) / s(y) and scale(y) = s(y) * 2, the only
// dimension of scale follows dimension 1 of out. Steps other than 1, wrapped indices and loaded ones tell nothing.
std::vector<int> followed_dims(const StageGraph &graph, FuncId f, FuncId other);

// What the answer is made of: of all that `start` reads, which of its dimensions walk which.
DimWalkers dim_walkers(const StageGraph &graph, FuncId start);

}  // namespace cryolite
