// Which kernels two schedules of one pipeline do not share: what a step of the search has to count anew.
// Asked of the Funcs that differ, and of nothing else.
#pragma once

#include <functional>
#include <vector>

#include "code/kernel/kernels.h"

namespace cryolite {

struct ChangedKernels {
    // The Funcs whose parts differ, decided in either.
    SmallVector<FuncId, 8> funcs;
    // The Funcs at root in either whose kernels differ, in id order.
    SmallVector<FuncId, 8> roots;
    // [i]: the kernel at roots[i] now; empty: there is none.
    std::vector<KernelFuncs> members;
};

// members_before: the members of the kernel at a Func that was at root before; empty for any other.
ChangedKernels changed_kernels(
    const LoopNest &before, const LoopNest &now,
    const std::function<std::span<const FuncId>(FuncId)> &members_before);

}  // namespace cryolite
