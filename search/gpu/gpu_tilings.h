// "How" on a GPU: the ways to arrange the loops of a Func's stages that are worth trying at its place.
#pragma once

#include <vector>

#include "machine/hardware.h"
#include "search/space/tilings.h"

namespace cryolite {

// Like tilings(), for a target with a GPU. A Func at root gets kernels of its own, or stays on the host where it must;
// inside a kernel it gets threads or the loops of a thread. hardware.gpu is not null.
std::vector<std::vector<Action>> gpu_tilings(const LoopNest &nest, FuncId func, Hardware hardware,
                                             const TilingLimits &limits, Random random);

// The plain choice among them.
std::vector<Action> plain_gpu_loops(const LoopNest &nest, const Func &func, const Machine &host);

}  // namespace cryolite
