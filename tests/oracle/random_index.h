// Draws how a stage addresses one dimension of what it reads: stencils, resampling by fractions,
// mirrors, sums of two loops, constants, gathers.
#pragma once

#include "base/random.h"
#include "tests/oracle/index_recipe.h"

namespace cryolite::oracle {

// like: the loop that it mostly walks, if the stage has so many. mixes_loops: pure stages may add up
// two loops as well.
IndexRecipe random_index(const Stage &stage, size_t like, bool mixes_loops, Random &random);

// Any value of a short interval, found by loading at some of the loops.
IndexRecipe random_gather(size_t num_loops, Random &random);

// Whether it adds up two pure loops, whose ranges may depend on each other.
bool adds_pure_loops(const Stage &stage, const IndexRecipe &recipe);

}  // namespace cryolite::oracle
