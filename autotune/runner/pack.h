// A pack: a folder that holds all that a run needs, to be moved to another computer and run there.
//
//   run                  a script: ./run writes results.json beside itself
//   cryolite_runner      the runner
//   request.json         the request; its paths lead into the folder
//   lib/0.so, lib/1.so   the libraries, the reference first
//   inputs/              the files of inputs
#pragma once

#include <filesystem>

#include "autotune/runner/run_request.h"
#include "base/result.h"

namespace cryolite {

// Writes the pack of a request whose paths lead to files here. `folder` is made; one that is there must be empty.
// runner: the program cryolite_runner. A library or an input that is named twice is stored once. Errors: what cannot be
// copied or written; then the folder is gone again.
Result<bool> write_pack(const std::filesystem::path &folder, const RunRequest &request,
                        const std::filesystem::path &runner);

}  // namespace cryolite
