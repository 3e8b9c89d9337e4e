// Combinations of places and loops that Halide gets wrong or refuses, one question each. apply() and
// validate() ask the same.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// The guard of a split stands inside the innermost of the loops that it speaks of: here between two
// blocks, where Halide takes none.
bool has_guard_between_blocks(const StageNest &nest);

// Whether the `count` outermost loops, three or more, hold two parts of one dimension. Fused, they make
// Halide's simplifier replace variables in a circle until the stack is full, where the dimension's last
// part is guarded (seen with 21).
bool fuses_parts_with_others(const LoopLevels &loops, int32_t count);

// Whether `func`, computed inside loops of `reader`, would read an input where the stage's predicate
// excludes it: inside, Halide asks for what all iterations would need (seen with 21). Inlined it narrows
// that by the predicate; and around the stage's own loops if the predicate is plain.
bool loses_predicate(const Func &func, const Stage &reader);

// Whether `func`, computed at `at`, would be computed for a Func that is itself computed inside fused
// loops of which one is part of a guarded split. Halide then loses the guard: it asks for all of the
// last part, and an input for more than it has (seen with 21; one Func deep it does not).
bool is_deep_in_guarded_fusion(const LoopNest &nest, const Func &func, LoopName at);

// Whether the Func's storage is its own to arrange: made in the loop that it is computed in, on the host.
// A window is folded in the order that it has, memory in a kernel is laid out for its threads, and what
// is at root is read by kernels that know nothing of it.
bool can_reorder_storage(const LoopNest &nest, const FuncNest &placed);

}  // namespace cryolite
