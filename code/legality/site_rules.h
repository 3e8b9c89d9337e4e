// Combinations of places and loops that Halide gets wrong or refuses, one question each. Both apply() and validate()
// ask these questions.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// Whether a split puts a guard between two block loops, where Halide allows none. The guard of a split stands inside
// the innermost of the loops that it depends on.
bool has_guard_between_blocks(const StageNest &nest);

// Whether the `count` outermost loops, three or more, hold two parts of one dimension. Such loops must not be fused if
// the dimension's last part is guarded: Halide's simplifier replaces variables in a circle until the stack is full
// (seen with 21).
bool fuses_parts_with_others(const LoopLevels &loops, int32_t count);

// Whether `func`, computed inside the loops of the stage that reads it or what it is inlined in, would read points of
// an input that the stage's predicate excludes. Inside these loops Halide takes the needs of all iterations (seen with
// 21). If func is inlined, Halide narrows them by the predicate. If the predicate is plain, it also does so around the
// stage's own loops.
bool loses_predicate(const Func &func, const Edge &reads);

// Whether `func`, computed at `at`, would lie two Funcs deep inside fused loops, one of them part of a guarded split.
// Halide then loses the guard. It takes all of the last part for needed, and reads more of an input than there is (seen
// with 21; one Func deep it keeps the guard).
bool is_deep_in_guarded_fusion(const LoopNest &nest, const Func &func, LoopName at);

// Whether `func`, computed at `at`, would lie between the guard of a split and the loops inside it, in a Func that is
// computed in another guarded split. Halide then loses the outer guard, and reads more of an input than there is (seen
// with 21). It keeps the guard at the outer loop of the inner split, and at loops inside that leave no other dimension
// whole.
bool is_between_guards(const LoopNest &nest, const Func &func, LoopName at);

// Whether the order of the Func's storage may change: the Func must be stored at the loop at which it is computed, on
// the host. The reasons for the other cases: a window is folded in the order that it has; memory in a GPU's kernel is
// laid out for its threads; kernels that read a Func at root do not know about its order.
bool can_reorder_storage(const LoopNest &nest, const FuncNest &placed);

}  // namespace cryolite
