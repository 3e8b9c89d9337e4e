// What Halide and LLVM make of one stage in its nest. Pure: a function of graph, nest and the machine's
// geometry (vector and register sizes), never of its speeds.
#pragma once

#include "base/small_vector.h"
#include "code/kernel/loop_stack.h"
#include "code/stage/expanded_stage.h"
#include "code/stage/inner_loops.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct StageCode {
    const Stage *stage = nullptr;
    const StageNest *nest = nullptr;
    const ExpandedStage *body = nullptr;  // with all that is inlined into it

    LoopStack stack;
    size_t enclosing = 0;       // the first so many loops of the stack are other Funcs'
    bool holds_others = false;  // another Func is computed or stored inside its loops
    // [p]: how often loop p of the stack is run in all; [n]: iterations of the innermost.
    SmallVector<double, 13> runs;

    InnerLoops inner;  // the body as code: a vector, its unrolled copies, the serial loops around
};

// All of it but the stack and the runs, which the kernel around the stage decides about. nest and expander must
// outlive it.
StageCode stage_code(const LoopNest &nest, StageId stage, StageExpander &expander);

}  // namespace cryolite
