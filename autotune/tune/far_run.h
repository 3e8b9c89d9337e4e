// A run on another computer, by a command that reaches it: "ssh box {}", "docker exec -i box sh -c {}". {} stands for
// the words of a shell that unpack what comes on standard input, run it, and write the results to standard output. So
// the command must hand on both, and nothing must be installed there but a shell, tar and mktemp.
#pragma once

#include <string>
#include <vector>

#include "autotune/runner/run_request.h"
#include "autotune/runner/run_result.h"
#include "base/program.h"

namespace cryolite {

// The words of the command. Errors: none, or several, of them are {}.
Result<std::vector<std::string>> parse_runner_command(const std::string &text);

// Packs the request (autotune/runner/pack.h) in `folder`, sends it and reads the results. Errors: what cannot be
// packed, a command that fails (with its last words), results that cannot be read.
Result<RunResult> run_far_away(const RunRequest &request, const std::string &runner_program,
                               const std::vector<std::string> &command, const std::string &folder,
                               const ProgramLimits &limits);

}  // namespace cryolite
