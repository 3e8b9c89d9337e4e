// What the runner found out. docs/runner.md describes the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autotune/contest.h"
#include "base/result.h"

namespace cryolite {

struct RunMachine {
    std::string cpu;  // as the system names it; empty where it does not
    int cores = 0;    // that this process may use
    int threads = 0;  // that each candidate ran with
    // Cores that were busy with other work while candidates were timed. Nothing where it is not known.
    std::optional<double> other_load;
};

struct RunEntry {
    std::string id;
    Entry entry;
};

struct RunResult {
    RunMachine machine;
    std::vector<RunEntry> entries;  // the reference, then the candidates in their order

    const RunEntry *find(std::string_view id) const;  // null: there is none
};

inline constexpr int run_result_version = 1;

std::string to_json_text(const RunResult &result);
// Errors name the field.
Result<RunResult> parse_run_result(std::string_view text);

}  // namespace cryolite
