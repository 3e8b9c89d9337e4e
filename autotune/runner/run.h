// A request carried out.
#pragma once

#include "autotune/runner/run_request.h"
#include "autotune/runner/run_result.h"
#include "base/result.h"

namespace cryolite {

// Libraries that fail are entries of the result, the reference too: where it cannot be run no other is. All children of
// this process are ended: see stray_processes.h. Paths of the request must be absolute or relative to the folder of
// this process. Errors: what must be changed in the request.
Result<RunResult> run(const RunRequest &request);

}  // namespace cryolite
