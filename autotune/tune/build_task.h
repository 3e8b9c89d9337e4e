// One schedule to be built by another process, and what came of it, as text.
#pragma once

#include <string>

#include "autotune/tune/build.h"

namespace cryolite {

struct BuildTask {
    Generator generator;
    BuildRules rules;  // `jobs` and `stop` are those of whoever builds
    std::string trace, name;
};

std::string to_json_text(const BuildTask &task);
Result<BuildTask> parse_build_task(const std::string &text);

std::string to_json_text(const Built &built);
Result<Built> parse_built(const std::string &text);

}  // namespace cryolite
