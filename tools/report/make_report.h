// From what a store holds of a problem to the figures of a report. Pure: equal samples give an equal report.
#pragma once

#include <span>

#include "tools/report/report.h"

namespace cryolite::tools {

// All but `explanation` and `run`. samples: in the store's order, at least one.
Report make_report(int64_t number, const Problem &problem, std::span<const Sample> samples,
                   std::span<const TuneRound> rounds);

}  // namespace cryolite::tools
