// The Halide Funcs of a recipe.
#pragma once

#include <Halide.h>

#include <functional>
#include <vector>

#include "apps/random/recipe.h"

namespace cryolite::apps {

Halide::Type halide_type(Number type);

// inputs: those of the recipe's steps of Operator::Input, in their order. The Funcs of its outputs, in their order.
std::vector<Halide::Func> build_recipe(const Recipe &recipe,
                                       const std::vector<Halide::Func> &inputs);

}  // namespace cryolite::apps
