// Windows that slide along a loop: what fills them before their first iteration, and which of them
// Halide folds, so that no more is stored than is needed at once.
#pragma once

#include "code/kernel/kernel_members.h"

namespace cryolite {

// How much more is computed of a Func than the steps of its window alone, if it has one: it is filled
// before it slides.
double warm_up(const Member &m);

class WindowFolding {
public:
    // All outlive it.
    WindowFolding(const StageGraph &graph, StageExpander &expander, const LoopNest &nest,
                  const KernelMembers &members)
        : graph_(graph), expander_(expander), nest_(nest), members_(members) {}

    // Whether another window of the same loop reads the window f, and something besides windows: the rows
    // that are needed together then hang on when that window starts, unless that is a whole number of
    // iterations early. (Of what two such windows read Halide 21 folds some, and of longer chains it folds
    // less, than is believed.)
    bool is_shared(FuncId f, const Member &m) const;

    // Halide folds a window whose length it can tell (seen with 21, over grids of windows): not where an
    // index is clamped; nor one that is shared; nor where the window's loop starts earlier for another one,
    // or as early for one that is shared or has nothing to do with this one, and the points that fill this
    // one are rounded up to whole parts. Asks Member::shared of all.
    bool is_folded(FuncId f, const Member &m) const;

private:
    bool reads(const Member &reader, FuncId f) const;
    // The Func itself or the one around it that is computed in the loop; null: neither is.
    const Member *in_loop(const Member &inner, int loop) const;
    // Whether the window or what is computed inside of it does.
    bool reads_within(const Member &window, FuncId f) const;

    const StageGraph &graph_;
    StageExpander &expander_;
    const LoopNest &nest_;
    const KernelMembers &members_;
};

}  // namespace cryolite
