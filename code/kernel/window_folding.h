// Windows that slide along a loop: what fills them before their first iteration, and which of them Halide folds, so
// that no more is stored than is needed at once.
#pragma once

#include "code/kernel/kernel_members.h"

namespace cryolite {

// How much more is computed of a Func than the steps of its window alone, if it has one: it is filled before it
// slides.
double warm_up(const Member &m);

struct FoldedWindow {
    FuncId func;
    // Another window of the same loop reads it, and the stage of that loop itself. The rows that are needed together
    // then depend on when that window starts, unless it starts at once or fills exactly one step.
    bool shared = false;
    bool folded = false;
};

// All windows of a kernel. Halide folds a window if it can tell how many rows are needed at once. These rules hold over
// all windows of tests/code/folding_test.cpp (seen with 21):
// - A window of which an index is clamped, or that is shared, is not folded.
// - A window starts late if its loop starts earlier for another window. It also does if the loop starts as early for
//   one that has nothing to do with it, or for one that is shared or read by a Func that is computed in the loop and
//   is no window.
// - A window starts within a step if it starts late and is filled by a number of rows that is no multiple of the
//   loop's step. It is then not folded if it is walked in parts of several rows.
// - A window that is read by one that starts within a step follows other rules. If the reader is walked row by row,
//   the window is folded unless it starts late. If the reader is walked in parts, the window is not folded where the
//   reader's first rows, rounded up to whole parts, are no whole steps; else it is folded unless it starts late and
//   not within a step.
// Two kinds are held for unfolded though Halide folds some of them: a shared window that such a Func reads too, and one
// of which such a Func reads single rows far from those that the windows read.
std::vector<FoldedWindow> folded_windows(const StageGraph &graph, StageExpander &expander,
                                         const LoopNest &nest, const Members &members);

}  // namespace cryolite
