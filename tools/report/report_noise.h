// How far equal schedules' times are apart: the anchor over the run, and schedules that were timed more than once.
#pragma once

#include <span>

#include "autotune/tune/standings.h"
#include "tools/report/report.h"

namespace cryolite::tools {

// reported: [sample], for their numbers.
ReportedNoise report_noise(std::span<const Sample> samples, const Standings &standings,
                           std::span<const ReportedSample> reported);

}  // namespace cryolite::tools
