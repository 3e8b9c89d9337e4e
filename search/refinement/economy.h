// Compiling that buys next to nothing. The search shapes each Func for its run time. Some take no time worth
// mentioning, such as the coarse levels of a pyramid, and yet each of their unrolled vectors is compiled in every copy
// of the code.
#pragma once

#include "search/beam/beam.h"
#include "search/search_context.h"

namespace cryolite {

// The complete state, or one that compiles faster: each Func with simpler loops, or none of its own, where next to no
// run time is given up for it. `limit_seconds`: the most that the result may be predicted to take, unless `state`
// itself takes longer. A schedule for a GPU stays as it is.
BeamState economised(SearchContext &search, BeamState state, double limit_seconds,
                     const Deadline &end);

}  // namespace cryolite
