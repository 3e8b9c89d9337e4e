// A program run to its end, with what it says kept.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cryolite::tools {

struct ChildResult {
    std::string ending;  // "exit status 1", "signal 6 (Aborted)"; empty: it succeeded
    std::string output;  // standard output and error together; the end of it if it is long
};

// arguments[0] is the path of the program; no shell reads them, and nothing is searched on a path.
// The child reads nothing from standard input. Errors: it cannot be started.
Result<ChildResult> run_child(const std::vector<std::string> &arguments);

}  // namespace cryolite::tools
