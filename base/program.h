// A program run to its end or to a limit, with what it says kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"

namespace cryolite {

struct ProgramLimits {
    double seconds = std::numeric_limits<double>::infinity();  // of the clock
    int64_t memory_bytes = 0;                                  // resident; 0: no limit
    // The program is killed once this is true; null: never.
    const std::atomic<bool> *stop = nullptr;
};

// Where a program reads from and writes to, as paths.
struct ProgramFiles {
    std::string input;   // empty: it reads nothing
    std::string output;  // of standard output; empty: kept with what it says
};

struct ProgramResult {
    enum class End : uint8_t {
        Succeeded,
        Failed,       // an exit status
        Died,         // of a signal
        TimedOut,     // killed at a limit
        OutOfMemory,  // killed at a limit
        Stopped       // killed because it was no longer wanted
    };
    End end = End::Failed;
    std::string
        ending;  // "exit status 1", "signal 6 (Aborted)", "not done after 60 s"; empty: it succeeded
    std::string output;  // standard output and error together; the end of it if it is long
    double seconds = 0;  // of the clock
    bool succeeded() const { return end == End::Succeeded; }
};

// arguments[0]: the program; a name without a slash is searched for on PATH. No shell reads the arguments. The program
// reads nothing from standard input unless `files` says otherwise. At a limit its whole process group is killed, and
// the program dies with this process. Thread-safe. Errors: it cannot be started, or a file cannot be opened.
Result<ProgramResult> run_program(const std::vector<std::string> &arguments,
                                  const ProgramLimits &limits = {}, const ProgramFiles &files = {});

}  // namespace cryolite
