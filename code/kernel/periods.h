// Where an output begins, as far as its code is better for knowing it. With vectors along x, the loads of f(x % 64) are
// dense and those of f(x / 2) are a load and a shuffle if x is known to begin at a multiple. Otherwise each lane loads
// by itself. The same holds for what is computed in the output's loops, whose places follow from the output's. No more
// is asked for than what the code can know: an index x % 64 in steps of 8 is as good at each multiple of 8.
//
// Where lanes stand for several products that an instruction adds up (action::Join), a multiple is not enough: with
// Halide 21 the lanes of in(c / 32 * 32 + r) are found to be equal only if c begins at a number, as at 32 * part. Else
// each element is loaded by itself (a grouped convolution of bytes: 45 times slower).
#pragma once

#include <vector>

#include "code/stage/split_tails.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// What had better be known of where a dimension begins.
struct WantedPlace {
    int64_t multiple = 1;  // the first point is one of this (StageLoop::period)
    bool number = false;   // the first point of each part is a number

    bool operator==(const WantedPlace &) const = default;
};

// Per dimension of an output. Only loops with a vector or unrolled copies, in the output or in its loops, care. The
// output is at root.
std::vector<WantedPlace> wanted_places(const LoopNest &nest, const Func &output);

// Adds them to the output's specialised case, where the estimates have such places.
void ask_for_places(const LoopNest &nest, const Func &output, std::vector<WholePart> &parts);

}  // namespace cryolite
