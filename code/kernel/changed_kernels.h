// The kernels that two schedules of one pipeline do not share. A step of the search has to count only these anew. Only
// the Funcs that differ are looked at.
#pragma once

#include <functional>
#include <vector>

#include "code/kernel/kernels.h"

namespace cryolite {

struct ChangedKernels {
    // Funcs that are decided in one of the schedules and whose nests differ.
    SmallVector<FuncId, 8> funcs;
    // Funcs at root in one of the schedules whose kernels differ, in id order.
    SmallVector<FuncId, 8> roots;
    // [i]: members of the kernel at roots[i] in the new schedule; empty: there is no such kernel.
    std::vector<KernelFuncs> members;
};

// members_before: returns the members of the kernel at a Func that was at root in `before`; empty for any other Func.
ChangedKernels changed_kernels(
    const LoopNest &before, const LoopNest &now,
    const std::function<std::span<const FuncId>(FuncId)> &members_before);

}  // namespace cryolite
