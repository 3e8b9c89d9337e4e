#include "featurize/stage_levels.h"

namespace cryolite {
namespace {

bool is_copied(LoopKind kind) { return kind == LoopKind::Vectorized || kind == LoopKind::Unrolled; }

}  // namespace

StageLevels stage_levels(const StageWork &work, const Member &member) {
    const LoopStack &stack = work.stack;
    StageLevels levels;
    levels.innermost = stack.size();
    levels.production = work.enclosing;

    levels.register_block = stack.size();
    while (levels.register_block > work.enclosing &&
           is_copied(stack[levels.register_block - 1].kind))
        levels.register_block--;
    const bool has_vector =
        stack.size() > work.enclosing && stack.back().kind == LoopKind::Vectorized;
    levels.vector = stack.size() - has_vector;

    levels.innermost_run = work.enclosing;
    for (size_t p = work.enclosing; p < stack.size(); p++)
        if (!is_copied(stack[p].kind) && work.nest->loops[p - work.enclosing].extent > 1)
            levels.innermost_run = p;

    for (size_t p = 0; p < work.enclosing; p++)
        if (stack[p].id == member.store_loop) levels.realisation = p + 1;
    for (size_t p = 0; p < stack.size(); p++)
        if (stack[p].kind == LoopKind::Parallel) levels.task = p + 1;
    return levels;
}

}  // namespace cryolite
