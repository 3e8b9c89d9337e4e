// Divides reductions of a Halide pipeline into partial results, and describes the pipeline that comes out.
#pragma once

#include <span>

#include "graph/builder/build.h"

namespace cryolite {

// Whether this Halide's rfactor() leaves Funcs like any others. That of older ones leaves a split on them. Copies are
// possible with all.
constexpr bool can_divide_reductions = HALIDE_VERSION_MAJOR >= 20;

// Divides the reductions, one after another, in the pipeline that has these outputs: a later one may be of a Func that
// an earlier one has made. Then as build_graph(). The graph's algorithm hash is that of the pipeline as it was.
// Errors: also names that the pipeline does not have, and reductions that Halide does not divide. The pipeline may
// then have changed.
Result<BuiltGraph> build_divided_graph(const std::vector<Halide::Internal::Function> &outputs,
                                       const Halide::Target &target,
                                       std::span<const DividedReduction> divisions);

}  // namespace cryolite
