// The figures of a report out of what `cryolite tune` leaves: a folder, or a store alone.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tools/report/report.h"

namespace cryolite::tools {

// Explanations of the best and of the one-shot schedule, as `cryolite tune` leaves them in its folder.
inline constexpr const char *best_explanation_file = "best.explain.json";
inline constexpr const char *one_shot_explanation_file = "one_shot.explain.json";

struct ReadReport {
    Report report;
    std::string store;               // its path
    std::vector<std::string> notes;  // what a user should know, a sentence each
};

// path: a store or the folder of one. problem: its number; 0: the one that result.json in the folder names, else the
// one that was measured last. result.json and the explanations are read where they lie beside the store; they may be
// missing, and are left out where they are of another problem or schedule. Errors: no such file or folder, a store that
// cannot be read, one without samples, no such problem.
Result<ReadReport> read_report(const std::string &path, int64_t problem = 0);

}  // namespace cryolite::tools
