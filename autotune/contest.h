// Candidates against each other: which computes what the reference computes, and how long each takes.
//
// Every candidate lives in a child process of its own, a copy of this one. What it does to memory, caches, threads and
// signals is its own affair. Candidates are prepared (compiled) side by side and run alone, by turns: what disturbs the
// machine for a while disturbs all of them.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autotune/compare_outputs.h"
#include "autotune/runnable.h"
#include "autotune/spread.h"
#include "base/deadline.h"

namespace cryolite {

struct Entry {
    enum class End {
        Timed,
        Wrong,        // computes something else than the reference; `message` says where
        Failed,       // `message` is what it said
        Died,         // of the signal in `message`, or it ended
        OutOfMemory,  // it, or the system's memory
        TooSlow,      // cut off
        Hung,         // no answer within many times the seconds that are allowed
        NotReady      // not prepared in time, or processes cannot be copied here
    };
    End end = End::NotReady;
    std::string message;
    // Of one run, [round]. An entry that is not Timed keeps those of the rounds before. One that is TooSlow has its
    // best of before the rounds alone.
    std::vector<double> seconds;
    Spread spread;             // of `seconds`, unless they are empty
    double clock_seconds = 0;  // for which its process was prepared, checked or timed
};

struct ContestRules {
    int prepared_at_once = 1;
    double prepare_cpu_seconds = 60;  // of each; one that takes more is out
    double prepare_seconds = std::numeric_limits<double>::infinity();  // the same by the clock
    Deadline prepared_by;  // those that are not ready by then are out
    double seconds = 3;    // of timing, all candidates together; at least three rounds are timed
    // Asked after 10, 20, 40, ... rounds, with what was timed so far: true ends the timing early. Seldom asked, since
    // who looks often enough sees by chance what he waits for.
    std::function<bool(const std::vector<Entry> &)> is_decided = {};
    double sample_seconds = 0.01;     // a sample repeats a short run until it takes as long
    double longest_run_seconds = 60;  // of a single run of the reference
    double cut_off = 3;               // candidates slower than the fastest by this factor are out
    std::optional<size_t> anchor;     // this one is not, so that all have it in their rounds
    int64_t memory_bytes = int64_t{8} << 30;  // by which a candidate's process may grow
    // Memory that is asked for counts before it is used. Drivers of devices ask for far more than they use.
    bool limits_address_space = true;
    // Candidates leave no process behind, even one that has left their group: see stray_processes.h. All children of
    // this process are taken for theirs.
    bool ends_strays = false;
    size_t output_bytes = 0;  // of all outputs together
    Tolerance tolerance;
};

// What the computer was like while the candidates were timed.
struct Conditions {
    std::optional<double>
        other_load;  // see other_load.h; nothing where it is not known or nothing was timed
};

// How many times as long as b a takes: the spread of the ratios in each round. What slows a whole round down leaves
// them alone. Both must have been timed.
Spread ratio(const Entry &a, const Entry &b);

// Makes the candidate of a number ready to run. Called in its process. Throws a std::exception that says what went
// wrong.
using Prepare = std::function<std::unique_ptr<Runnable>(size_t candidate)>;

// [i]: how candidate i fared. Candidate `reference` says what is right. If it cannot be run, no other is timed. What a
// candidate computes is compared after its first run, after its warm-up and after its last run.
std::vector<Entry> contest(size_t candidates, size_t reference, const Prepare &prepare,
                           const ContestRules &rules, Conditions *conditions = nullptr);

const char *name(Entry::End end);
std::optional<Entry::End> end_named(std::string_view name);

}  // namespace cryolite
