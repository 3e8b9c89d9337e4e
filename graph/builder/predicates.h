// What the predicate of a reduction domain (RDom::where) does to a stage's loops.
#pragma once

#include <span>

#include "graph/halide/estimates.h"
#include "graph/halide/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Whether the predicate only compares sums of loops and parameters, and joins comparisons by `and`.
bool is_plain_predicate(const Expr &predicate);

// The conditions of the predicate that compare sums of loops with constants, by `<`, `<=`, `>` or `>=`.
std::vector<LoopCondition> loop_conditions(const StageView &stage,
                                           std::span<const StageLoop> loops);

struct PassingShare {
    double all = 1;
    // Of the iterations that the conditions without loads let pass, those that the others let pass too.
    double loaded = 1;
};

// The share of the stage's iterations that its predicate lets pass, over `ranges` of `loops` and at the estimates.
// Loaded values are guessed:
// - A loaded value equals one of the values that it is compared with.
// - The values of a load whose type or Func bounds them, such as bytes, are spread evenly over that range.
// - Any other comparison with a loaded value holds half of the time.
PassingShare passing_share(const StageView &stage, std::span<const StageLoop> loops,
                           std::span<const Interval> ranges, const Estimates &estimates,
                           const ir::FuncValueBounds &value_bounds);

// Whether Halide's bounds inference gives some loop a narrower range because of the predicate. A comparison with a
// loaded value does not narrow a loop, unless a clamp or the value's type bounds the value.
bool narrows_loops(const FuncView &f, const StageView &stage, std::span<const StageLoop> loops,
                   const Estimates &estimates, const ir::FuncValueBounds &value_bounds);

}  // namespace cryolite
