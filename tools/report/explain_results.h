// Why the best schedule of a run, and the one-shot schedule beside it, are predicted to take as long as they do: as
// files that reports and `cryolite explain` read.
#pragma once

#include <string>

#include "autotune/tune/generator.h"
#include "autotune/tune/tune.h"
#include "base/result.h"

namespace cryolite::tools {

// Writes the explanations (read_report.h names the files) into the tuner's folder, with the factors that the run
// learned. An explanation of an earlier run is replaced, or removed where there is none any more. Errors: a generator
// that fails, a file that cannot be written.
Result<bool> write_explanations(const std::string &folder, const Generator &generator,
                                const TuneResult &result);

}  // namespace cryolite::tools
