// A library with its buffers, ready to run.
#pragma once

#include <memory>
#include <string>

#include "autotune/runnable.h"
#include "autotune/runner/array_file.h"
#include "autotune/runner/call_plan.h"
#include "autotune/runner/run_request.h"

namespace cryolite {

// Opens `library` and gives it inputs and outputs of the plan's regions, larger where it asks for that. It sets the
// number of threads and belongs in a process of its own. `plan`, `request` and `files` must live longer. Throws
// OutOfMemory or std::runtime_error.
std::unique_ptr<Runnable> library_run(const RunLibrary &library, const CallPlan &plan,
                                      const RunRequest &request, const InputFiles &files,
                                      int threads);

}  // namespace cryolite
