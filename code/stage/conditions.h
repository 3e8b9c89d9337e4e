// The branches that decide whether an iteration of a stage runs, where its predicate (RDom::where) is tested at run
// time.
//
// Halide takes a condition out of the loops that it does not depend on. If the condition compares sums of loops, Halide
// cuts the excluded iterations off a rolled loop, and no test is left. A condition on loaded values stays a test, and
// so does every condition of an unrolled copy. A vector loop that the predicate depends on has masks, and
// branches only around elements that are accessed one by one.
#pragma once

#include "graph/stage_graph.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct Conditions {
    double asked = 0;    // tests over one realisation of the stage
    double guessed = 0;  // those tests among them whose outcome hangs on loaded values
};

// The number of the stage's loops up to the innermost one that the predicate depends on. The loops inside, and the
// body, run where the predicate lets them. 0: there is no predicate.
size_t loops_of_predicate(const Stage &stage, const StageNest &nest);

// How many tests have an outcome of their own in one run of the pipeline: iterations of the loops that the predicate
// depends on. A processor that has seen few outcomes again and again foretells them.
double different_outcomes(const Stage &stage, const Func &func);

Conditions conditions(const StageGraph &graph, const StageNest &nest);

}  // namespace cryolite
