// Runs numbered cases, each in a child process with limits of time and memory, so that a crash or
// an endless loop is the failure of one case and the run goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "tests/semantics/checker.h"

namespace cryolite {

enum class CaseOutcome { Passed, Failed, ReferenceFailed, Crashed, TimedOut };
const char *name(CaseOutcome outcome);

struct CaseReport {
    uint64_t seed = 0;
    CaseOutcome outcome = CaseOutcome::Passed;
    double seconds = 0;  // wall time
    std::string log;     // all that the case wrote, its standard error included
};

struct RunLimits {
    int jobs = 1;
    double seconds_per_case = 60;
    uint64_t address_space_bytes = uint64_t{12} << 30;
};

// Runs `run_case` for the seeds first .. first + count - 1 and calls `on_report` in the order in
// which they end. The caller must not have started threads.
void run_cases(uint64_t first_seed, uint64_t count, const RunLimits &limits,
               const std::function<Verdict(uint64_t seed, std::ostream &log)> &run_case,
               const std::function<void(const CaseReport &)> &on_report);

}  // namespace cryolite
