#include "featurize/rows/stage_levels.h"

namespace cryolite {
namespace {

bool is_copied(LoopKind kind) { return kind == LoopKind::Vectorized || kind == LoopKind::Unrolled; }

}  // namespace

StageLevels stage_levels(const StageWork &work, const Member &member) {
    const LoopStack &stack = work.code->stack;
    StageLevels levels;
    levels.innermost = stack.size();
    levels.production = work.code->enclosing;

    levels.register_block = stack.size();
    while (levels.register_block > work.code->enclosing &&
           is_copied(stack[levels.register_block - 1].kind))
        levels.register_block--;
    const bool has_vector =
        stack.size() > work.code->enclosing && stack.back().kind == LoopKind::Vectorized;
    levels.vector = stack.size() - has_vector;

    levels.innermost_run = work.code->enclosing;
    for (size_t p = work.code->enclosing; p < stack.size(); p++)
        if (!is_copied(stack[p].kind) &&
            work.code->nest->loops[p - work.code->enclosing].extent > 1)
            levels.innermost_run = p;

    for (size_t p = 0; p < work.code->enclosing; p++)
        if (stack[p].id == member.store_loop) levels.realisation = p + 1;
    for (size_t p = 0; p < stack.size(); p++)
        if (stack[p].kind == LoopKind::Parallel) levels.task = p + 1;
    return levels;
}

}  // namespace cryolite
