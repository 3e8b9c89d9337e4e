// The last part of a guarded split, for the Funcs that are computed in it. Over 25 points in parts of 16 the last part
// has 9. A Func that may not compute points past the end computes 9 there, too: no whole vector of 16. The regions of
// mid-range do not show this.
#pragma once

#include "code/kernel/stage_code.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct CutPart {
    double share = 0;  // of the productions. 0: the end of no range cuts what a production computes
    int64_t extent = 0;  // of these productions, along the dimension
};

// Of the stage along a dimension of Stage::loops, in the loop that its Func is computed in.
CutPart cut_part(const LoopNest &schedule, const StageCode &code, size_t dim);

}  // namespace cryolite
