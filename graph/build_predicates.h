// What the predicate of a reduction domain (RDom::where) does to a stage's loops.
#pragma once

#include <span>

#include "graph/estimates.h"
#include "graph/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

// It compares sums of loops and parameters alone.
bool is_plain_predicate(const Expr &predicate);

// The share of the stage's iterations that its predicate lets pass, over `ranges` of `loops` and at the
// estimates. What it loads is guessed: a loaded value equals one of the values that it is compared with,
// and any other comparison holds half of the time.
double passing_share(const StageView &stage, std::span<const StageLoop> loops,
                     std::span<const Interval> ranges, const Estimates &estimates);

// Whether Halide's bounds inference bounds some loop by the predicate more narrowly than it is without.
// A comparison with a loaded value says nothing of a loop, unless the value's type or a clamp bounds it.
bool narrows_loops(const FuncView &f, const StageView &stage, std::span<const StageLoop> loops,
                   const Estimates &estimates, const ir::FuncValueBounds &value_bounds);

}  // namespace cryolite
