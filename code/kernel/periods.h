// Where an output begins, as far as its code is better for knowing it. With vectors along x, the loads of f(x % 64) are
// dense and those of f(x / 2) are a load and a shuffle if x is known to begin at a multiple. Otherwise each lane loads
// by itself. The same holds for what is computed in the output's loops, whose places follow from the output's. No more
// is asked for than what the code can know: an index x % 64 in steps of 8 is as good at each multiple of 8.
#pragma once

#include <vector>

#include "code/stage/split_tails.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Per dimension of an output: the first point had better be a multiple of this (StageLoop::period). Only loops with a
// vector or unrolled copies, in the output or in its loops, care. The output is at root.
std::vector<int64_t> periods_of(const LoopNest &nest, const Func &output);

// Adds the periods to the output's specialised case, where the estimates begin at multiples of them.
void ask_for_multiples(const LoopNest &nest, const Func &output, std::vector<WholePart> &parts);

}  // namespace cryolite
