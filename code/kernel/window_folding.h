// Windows that slide along a loop: how they are filled before the first iteration, and which of them Halide folds. A
// folded window stores no more than is needed at once.
#pragma once

#include "code/kernel/kernel_members.h"

namespace cryolite {

// Points that one production of a Func computes, over those of its window's steps alone. A window is filled before it
// slides: step by step, and the rows of the first step are rounded up to what its stages compute together. 1: the Func
// has no window.
double warm_up(const StageGraph &graph, const LoopNest &nest, const Member &m);

struct FoldedWindow {
    FuncId func;
    // Two readers need rows of this window together: the stage that owns the loop, and another window of the loop.
    // Which rows are needed together then depends on when the other window starts. Windows that start at once do no
    // harm, nor do those that are filled by exactly one step, unless this window starts late.
    bool shared = false;
    bool folded = false;
};

// All windows of a kernel. Halide folds a window if it can tell how many rows are needed at once. These rules hold over
// all windows of tests/code/folding_test.cpp (seen with 21):
// - A window that is shared, that has a clamped index, or that grows is not folded.
// - An irregular window is filled by some rows, but not by exactly one step.
// - A window W starts late if its loop starts earlier for another window. If the loop starts equally early for another
//   window V, W starts late in two cases: V and W are not related, or V has two kinds of readers. These are an
//   irregular window and a stage that belongs to no window.
// - A window that starts late starts within a step if the rows that fill it are no whole number of steps. Such a window
//   is not folded if it is walked in parts of several rows.
// - Other rules hold for a window W that is read by a window R that starts within a step:
//   - If R is walked row by row, W is folded unless it starts late.
//   - If R is walked in parts, its first rows are rounded up to whole parts. If they are no whole number of steps, W is
//     not folded. Otherwise W is folded unless it starts late but not within a step.
// - A window that reads itself in an update is needed from its first row on, and from its readers' first row on as soon
//   as they start. It is folded only if each reader starts in the same iteration or is filled by one step less. If it
//   starts in another iteration, that reader may not start within a step.
// Three kinds of windows count as unfolded, although Halide folds some of them. One is a shared window that a Func in
// the loop that is no window reads too. The second is a window of which such a Func reads single rows, far from the
// rows that windows read. The third is a window that a shared one reads, if that is walked in parts, or if a Func that
// is no window reads a window above it.
std::vector<FoldedWindow> folded_windows(const StageGraph &graph, StageExpander &expander,
                                         const LoopNest &nest, const Members &members);

}  // namespace cryolite
