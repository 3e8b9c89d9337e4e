// The explanation of what a Halide generator's pipeline is scheduled as, by the plugin's option `explain`.
#pragma once

#include "analytical/explain/explanation.h"
#include "base/result.h"
#include "tools/generator_run.h"

namespace cryolite::tools {

// Errors: those of run_generator(), and a generator that never asked Cryolite for a schedule.
Result<Explanation> explain_generator(const GeneratorRun &run, std::string *warnings = nullptr);

}  // namespace cryolite::tools
