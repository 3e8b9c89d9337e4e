// Hill climbing on a complete state: of the changes of one Func the best is taken, Func after Func, in rounds.
#pragma once

#include "search/beam/beam.h"
#include "search/search_context.h"

namespace cryolite {

// The state, or a better one. Rounds over all Funcs that are not frozen, each with other random draws, until two in a
// row gain next to nothing, the work is used up (Effort::refinement_work) or the deadline has passed. What they find
// last is then tried for all twins.
BeamState climbed(SearchContext &search, BeamState state, const Deadline &end);

}  // namespace cryolite
