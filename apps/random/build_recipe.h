// The Halide Funcs of a recipe.
#pragma once

#include <Halide.h>

#include <functional>
#include <vector>

#include "apps/random/recipe.h"

namespace cryolite::apps {

Halide::Type halide_type(Number type);

// An input, or what a step has computed. Inputs are read directly, as generators read them, and become Funcs only where
// a boundary condition asks for one.
struct Source {
    std::function<Halide::Expr(const std::vector<Halide::Expr> &)> at;
    std::function<Halide::Func()> func;
};

// inputs: those of the recipe's steps of Operator::Input, in their order. The Funcs of its outputs, in their order.
std::vector<Halide::Func> build_recipe(const Recipe &recipe, const std::vector<Source> &inputs);

}  // namespace cryolite::apps
