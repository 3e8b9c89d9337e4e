// Factors of products that are worth a packed copy. A product walks down the rows of such a factor: it reads a
// vector or a few from each row, and repeats this for every row of its own. In an input these vectors lie a
// whole row apart, each on another page. In a copy of the columns that are used together they are neighbours.
#pragma once

#include "graph/stage_graph.h"

namespace cryolite {

// Whether every reader of `func` is such a product: a pure loop walks along the rows of `func`, a reduction
// walks down them, and another pure loop repeats both.
bool is_worth_packing(const StageGraph &graph, const Func &func);

// Whether `func` is a copy in blocks that its readers read again and again: one index of what it copies depends on
// several of its dimensions, as in w(4 * block + i, ...). Who writes that means the layout: the weights of dot products
// lie side by side in it.
bool is_repacked(const StageGraph &graph, const Func &func);

}  // namespace cryolite
