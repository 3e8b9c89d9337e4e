// What a pipeline runs on while it is tuned, as options of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "autotune/runner/run_request.h"
#include "base/result.h"

namespace cryolite::tools {

struct InputOptions {
    std::vector<std::string> files, ranges, scalars, shapes;
};

void add_input_options(CLI::App &command, InputOptions &options);

// Into a runner's request. Errors: what is not NAME=VALUE of the right form.
Result<bool> add_inputs(const InputOptions &options, RunRequest &request);

// After these: errors of files that are not there.
Result<bool> find_input_files(const InputOptions &options);

}  // namespace cryolite::tools
