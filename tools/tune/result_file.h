// result.json: what a run of the tuner was asked for and how it ended.
#pragma once

#include <string>

#include "autotune/tune/tune.h"

namespace cryolite::tools {

// What was asked for, as a user writes it.
struct AskedOfTuner {
    std::string command;  // that tunes again
    std::string replay;   // that makes a library of the best
    std::string budget;
    std::string store;  // its path; empty: tune.sqlite in the folder
};

struct ResultFile {
    AskedOfTuner asked;
    // Of the store. 0: a file of an older version, which does not say.
    int64_t problem = 0;
    std::string algorithm;
    std::string ended_by;
    double spent_seconds = 0;
    std::string best_trace, one_shot_trace;  // empty: there was none
};

std::string result_file_text(const TuneResult &result, const AskedOfTuner &asked);

// What is missing is left empty: older versions say less. Errors: no such file, no JSON object.
Result<ResultFile> read_result_file(const std::string &path);

}  // namespace cryolite::tools
