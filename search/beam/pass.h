// One pass of the beam over all Funcs, from outputs to inputs. Near the time limit only the best state goes on; at the
// limit it is finished with plain choices.
#pragma once

#include <optional>
#include <vector>

#include "search/beam/beam.h"
#include "search/plans.h"
#include "search/search_context.h"

namespace cryolite {

struct PassResult {
    std::optional<BeamState> best;  // nothing if the time did not suffice for the first Func
    // The complete states that the beam ended with, the best first; empty if it was cut off.
    std::vector<BeamState> last;
};

struct PassKind {
    int64_t number = 0;        // from 0; decides what is drawn and how coarse structures are
    bool looks_ahead = false;  // ranks states by what they will cost (outlook.h)
};

// plans: whose decisions are tried, too.
PassResult run_pass(SearchContext &search, const PassKind &kind, const Plans &plans);

}  // namespace cryolite
