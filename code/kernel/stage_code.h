// What Halide and LLVM make of one stage in its nest. Pure: it depends only on graph and nest, not on the machine.
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
    const ExpandedStage *body = nullptr;  // with all Funcs that are inlined into it

    LoopStack stack;
    size_t enclosing = 0;       // number of outer loops of the stack that belong to other Funcs
    bool holds_others = false;  // another Func is computed or stored inside its loops
    // [p]: runs of stack loop p in all; the last: iterations of the innermost loop in all.
    SmallVector<double, 13> runs;

    InnerLoops inner;  // the body as code: a vector, its unrolled copies, the serial loops around
};

// Everything except `stack`, `enclosing` and `runs`, which depend on the kernel around the stage. nest and expander
// must outlive the result.
StageCode stage_code(const LoopNest &nest, StageId stage, StageExpander &expander);

}  // namespace cryolite
