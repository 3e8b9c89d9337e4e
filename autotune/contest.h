// Candidates against each other: which computes what the reference computes, and how long each takes.
//
// Every candidate lives in a child process of its own, a copy of this one. What it does to memory, caches, threads and
// signals is its own affair. Candidates are prepared (compiled) side by side and run alone, by turns: what disturbs the
// machine for a while disturbs all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autotune/compare_outputs.h"
#include "autotune/runnable.h"
#include "autotune/spread.h"
#include "base/deadline.h"

namespace cryolite {

struct ContestRules {
    int prepared_at_once = 1;
    double prepare_cpu_seconds = 60;  // of each; one that takes more is out
    Deadline prepared_by;             // those that are not ready by then are out
    double seconds = 3;  // of timing, all candidates together; at least three rounds are timed
    double sample_seconds = 0.01;     // a sample repeats a short run until it takes as long
    double longest_run_seconds = 60;  // of a single run of the reference
    double cut_off = 3;               // candidates slower than the fastest by this factor are out
    int64_t memory_bytes = int64_t{8} << 30;  // by which a candidate's process may grow
    size_t output_bytes = 0;                  // of all outputs together
    Tolerance tolerance;
};

struct Entry {
    enum class End {
        Timed,
        Wrong,    // computes something else than the reference; `message` says where
        Failed,   // `message` is what it said
        Died,     // of the signal in `message`
        TooSlow,  // cut off
        NotReady  // not prepared in time, or processes cannot be copied here
    };
    End end = End::NotReady;
    std::string message;
    std::vector<double> seconds;  // of one run, [round]; of Timed
    Spread spread;                // of `seconds`
};

// How many times as long as b a takes: the spread of the ratios in each round. What slows a whole round down leaves them
// alone. Both must have been timed.
Spread ratio(const Entry &a, const Entry &b);

// Makes the candidate of a number ready to run. Called in its process. Throws a std::exception that says what went
// wrong.
using Prepare = std::function<std::unique_ptr<Runnable>(size_t candidate)>;

// [i]: how candidate i fared. Candidate `reference` says what is right. If it cannot be run, no other is timed.
std::vector<Entry> contest(size_t candidates, size_t reference, const Prepare &prepare,
                           const ContestRules &rules);

const char *name(Entry::End end);

}  // namespace cryolite
