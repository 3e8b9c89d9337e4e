// What is kept of every schedule that was tried, and of what it was tried on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autotune/spread.h"

namespace cryolite {

// Samples of one problem may be compared with each other; all others are kept apart from them.
struct Problem {
    std::string pipeline;    // the generator's name of it
    std::string algorithm;   // its hash, 16 hexadecimal digits (graph/hash/algorithm_hash.h)
    std::string parameters;  // of the generator: a JSON list of KEY=VALUE
    std::string workload;    // JSON: sizes and contents of the inputs
    std::string target;      // Halide's text
    std::string machine;     // the machine file's text (machine/machine_json.h)
    std::string halide;      // version
    int threads = 0;

    bool operator==(const Problem &) const = default;
};

enum class SampleStatus : uint8_t {
    Timed,
    Wrong,        // computes something else than the plain schedule
    Failed,       // an error of the pipeline's, or of the runner's
    Crashed,      // of a signal
    Hung,         // no answer in time
    OutOfMemory,  // more than allowed
    TooSlow,      // cut off: slower than the best by a factor
    NotBuilt      // refused by Halide, or not compiled in time
};

// "timed", "wrong", "failed", "crashed", "hung", "out of memory", "too slow", "not built".
std::string_view name(SampleStatus status);
std::optional<SampleStatus> status_named(std::string_view name);

struct Sample {
    std::string trace;  // schedule/trace_text.h; empty: what the generator itself schedules
    SampleStatus status = SampleStatus::NotBuilt;
    std::string message;  // of all but Timed

    std::vector<double> seconds;         // of one run, [turn]
    std::vector<double> anchor_seconds;  // of the anchor's runs in the same turns
    Spread spread;                       // of `seconds`
    // Times of the anchor: the schedule that all samples of a problem are timed beside. What slows the computer down
    // for a while leaves the ratio alone.
    Spread ratio;

    double predicted_seconds = 0;  // when it was drawn; 0: by nobody
    std::string origin;            // "plain", "one shot", "beam", "greedy", "given", "by hand"
    int64_t round = 0;             // of the tuner
    int64_t repeat = 0;            // 0: the first time that this schedule is timed
    uint64_t seed = 0;             // of the draw
    uint64_t object_hash = 0;      // of the compiled code; 0: there is none
    double build_seconds = 0;
    double run_seconds = 0;  // of the clock, for checking and timing
    bool quiet = true;       // whether the machine had no other work
    std::string cryolite;    // version
    int64_t created = 0;     // seconds since 1970
};

// A round of the tuner: what it drew and what it believed. It is kept before any of the draws is measured, so that a
// tuner that was killed goes on with the same draws.
struct TuneRound {
    int64_t number = 0;
    uint64_t seed = 0;
    std::string draws;  // JSON
    std::string model;  // JSON: what was learned
    double rank_correlation = 0;
    int64_t created = 0;
};

}  // namespace cryolite
