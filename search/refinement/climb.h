// Hill climbing on a complete state: of the changes of one Func the best is taken, Func after Func, in rounds.
#pragma once

#include <vector>

#include "search/beam/beam.h"
#include "search/search_context.h"

namespace cryolite {

// The state, or a better one. Rounds over all Funcs that are not frozen, each with other random draws, until two in a
// row gain next to nothing, the work is used up (Effort::refinement_work) or the deadline has passed. What they find
// last is then tried for all twins.
BeamState climbed(SearchContext &search, BeamState state, const Deadline &end);

// The best of what the states climb to. After each round those that have met, and the dearer half of the others, are
// given up. Only as many start as the work lasts for.
BeamState best_climbed(SearchContext &search, std::vector<BeamState> starts, const Deadline &end);

}  // namespace cryolite
