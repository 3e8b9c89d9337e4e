// What tuning leaves in its folder: the best schedule, and what is needed to use it and to do it again.
#pragma once

#include <string>

#include "autotune/tune/generator.h"
#include "autotune/tune/tune.h"
#include "tools/tune/result_file.h"

namespace cryolite::tools {

// The network that was tuned, beside weights.json: for `cryolite tune --weights` alone.
inline constexpr const char *network_file = "weights.safetensors";
// weights: TuneResult::weights.
bool has_network(const std::string &weights);

// Writes best.trace, best.schedule.h, machine.json, weights.json and result.json into the folder. Where nothing was
// timed there is no best. Errors: a file that cannot be written, a generator that fails.
Result<bool> write_results(const std::string &folder, const Generator &generator,
                           const TuneResult &result, const AskedOfTuner &asked);

// For people: the end of a run.
std::string result_text(const std::string &folder, const TuneResult &result);

}  // namespace cryolite::tools
