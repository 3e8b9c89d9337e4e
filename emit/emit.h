// From a complete LoopNest to Halide: by calling the scheduling methods on the pipeline's Funcs, and
// as the text of a function that makes the same calls. One walk produces both.
#pragma once

#include <string>

#include <Halide.h>

#include "base/result.h"
#include "graph/builder/build.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Outputs of a schedule have a case for sizes that hold whole parts, which those at the estimates mostly do, and one
// for smaller sizes.
enum class SmallSizes : uint8_t {
    Compiled,
    // The pipeline must not run on them, and nothing checks that: Halide takes for granted what specialize_fail() says.
    // Less code, for who only runs it at the estimates. What is small at the estimates is compiled all the same.
    Unchecked
};

struct Emitted {
    std::string source;  // the scheduling calls as C++ statements, for AutoSchedulerResults
};

// Applies the schedule to the functions of the graph. Split tails are chosen so that the result is
// right at every size and reads no more of an input than the unscheduled pipeline: GuardWithIf, or
// RoundUp where Func::may_overcompute or divisibility allows it.
Result<Emitted> emit(const BuiltGraph &built, const LoopNest &nest,
                     SmallSizes small_sizes = SmallSizes::Compiled);

// No calls at all, of a pipeline that is better left as it is.
Emitted emit_nothing(const BuiltGraph &built);

// What emit() returns, with nothing applied. Halide writes it into a function with the parameters `pipeline` and
// `target`. The schedule comes first; what refuses another algorithm and finds the Funcs comes after it.
std::string schedule_source(const BuiltGraph &built, const LoopNest &nest);

}  // namespace cryolite
