// What the runner is asked and what its answer means, wherever it runs.
#pragma once

#include <string>
#include <vector>

#include "autotune/runner/run_request.h"
#include "autotune/runner/run_result.h"
#include "autotune/tune/workshop.h"

namespace cryolite {

// `shared`: inputs, scalars, shapes, seed, tolerance, limits of memory and of one run.
RunRequest measuring_request(const RunRequest &shared, int threads, const std::string &anchor,
                             const std::vector<std::string> &libraries, const MeasureRules &rules);

// For which the runner may be at work at most. It keeps its limits itself: only one that hangs takes longer.
double longest_seconds(const RunRequest &request);

// Errors: the answer is to another request.
Result<MeasuredGroup> measured_group(const RunResult &result, size_t libraries);

}  // namespace cryolite
