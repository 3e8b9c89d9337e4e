// Makes the loads of an edge from recipes: the box that its region program asks for, and the accesses
// inside of it.
#pragma once

#include "base/random.h"
#include "tests/oracle/index_recipe.h"

namespace cryolite::oracle {

// All loads of one Func by one stage: alternatives, each with a recipe per producer dimension.
using Recipes = std::vector<std::vector<IndexRecipe>>;

// Adds them to the edge. Which combinations of taps are loaded, and which values of a tuple, is drawn;
// the corners that make the box always are. Returns what gathers may find, per producer dimension.
Box add_loads(Edge &edge, const Recipes &recipes, const Func &producer, size_t num_loops,
              Random &random);

}  // namespace cryolite::oracle
