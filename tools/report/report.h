// All figures of a report: a plain value, made of a problem's samples (make_report.h) and written as JSON for the page
// (report_json.h). Nothing here knows files or browsers.
//
// Seconds of schedules are comparable: the ratio to the anchor times the anchor's median over the whole run
// (Standings::comparable). Seconds of one sample are those that were measured. Elapsed seconds are of the clock, since
// the first round was drawn.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autotune/store/sample.h"

namespace cryolite::tools {

// What all samples were measured on.
struct ReportedProblem {
    int64_t number = 0;  // in the store
    int64_t others = 0;  // further problems that the store holds
    std::string pipeline, algorithm, target, machine, halide;
    int threads = 0;
    std::vector<std::string> parameters;  // KEY=VALUE
    std::vector<std::string> workload;    // "in 1536x2560 (input)"
    std::vector<std::string> versions;    // of Cryolite, in the order in which they measured
};

// What only the tuner knows, besides what the store says. Empty: not known.
struct ReportedRun {
    std::string budget, ended_by;
    double spent_seconds = 0;  // of the last run; 0: not known
    std::string tune_command, replay_command;
};

// A schedule that the best is compared with, or the best itself.
struct ReportedSchedule {
    std::string name;  // "best", "one shot", "plain", "by hand"
    std::string origin;
    SampleStatus status = SampleStatus::NotBuilt;
    std::string message;
    Spread seconds;
    Spread
        times_best;  // its time over the best's; low and high: what both intervals allow. 0: not timed
    double predicted_seconds = 0;  // 0: by nobody
    int64_t rank = 0;              // the number that `cryolite store show` gives it
    int64_t samples = 0;
    std::string trace;
};

struct ReportedSample {
    int64_t number = 0;  // in the store's order, from 1 on
    int64_t rank = 0;    // of its schedule
    double elapsed_seconds = 0;
    int64_t round = 0, repeat = 0;
    std::string origin;
    SampleStatus status = SampleStatus::NotBuilt;
    std::string message;
    Spread seconds, ratio;         // 0: not timed
    int64_t turns = 0;             // runs that were timed
    double predicted_seconds = 0;  // 0: by nobody
    double build_seconds = 0, run_seconds = 0;
    bool quiet = true;
};

// A schedule when it was first timed.
struct TimedSchedule {
    int64_t sample = 0;  // number
    int64_t rank = 0;
    double elapsed_seconds = 0;
    int64_t round = 0;
    std::string origin;
    Spread seconds;                // over all its samples
    double predicted_seconds = 0;  // 0: by nobody
    bool is_best_so_far = false;
};

struct ReportedRound {
    int64_t number = 0;
    double elapsed_seconds = 0;
    int64_t tried = 0, timed = 0;  // new schedules
    double best_seconds = 0;       // of all schedules that were known at its end; 0: none
    double fit_correlation =
        0;  // of the model with what it was fitted to, before the round; 0: not known
    // Spearman's, of this round's predictions with what was measured then; nothing: fewer than 3.
    std::optional<double> prediction_correlation;
};

struct FailureClass {
    SampleStatus status = SampleStatus::Failed;
    int64_t schedules = 0;
    // What they said and how often, the most frequent first; a few.
    std::vector<std::pair<std::string, int64_t>> messages;
    int64_t other_messages = 0;  // besides these
};

// How much times differ where nothing but chance and the computer's other work differs.
struct ReportedNoise {
    struct Anchor {  // of one group that was measured together
        int64_t sample = 0;
        double elapsed_seconds = 0;
        Spread seconds;
        bool quiet = true;
    };
    std::vector<Anchor> anchor;
    double anchor_seconds = 0;  // median over all turns

    struct Repeat {
        int64_t sample = 0, rank = 0;
        double elapsed_seconds = 0;
        Spread deviation;  // the sample's ratio over its schedule's, less 1
    };
    // Of schedules that were timed more than once, the anchor's own first sample aside, whose ratio is 1 by definition.
    std::vector<Repeat> repeats;

    double anchor_drift = 0;  // slowest over fastest median of a group, less 1
    double typical_interval =
        0;  // half the 95 % interval of a sample's ratio, over the ratio: the median
    double typical_repeat =
        0;  // slowest over fastest ratio of a repeated schedule, less 1: the median
    int64_t busy = 0, measured = 0;  // samples while the computer had other work; all
};

// Where the predicted time of a schedule goes.
struct ExplainedSide {
    std::string name;  // "best", "one shot"
    double predicted_seconds = 0, measured_seconds = 0;
    struct Line {
        int64_t depth = 0;
        std::string text, stage;  // stage: whose body the line is, or empty
    };
    std::vector<Line> nest;
    std::vector<std::string> inlined;
    struct Stage {
        std::string name, bound_by;
        double seconds = 0;
        std::vector<double> terms;  // [term] exposed seconds
    };
    std::vector<Stage> stages;
};

struct ReportedExplanation {
    std::vector<std::string> terms, docs;  // [term], the longest of both sides first
    std::vector<ExplainedSide> sides;      // the best first; at most two
    double least_seconds = 0;              // no schedule is faster: the roofline; 0: not known
    std::string missing;                   // why a side is not there; empty: nothing is missing
};

struct Report {
    ReportedProblem problem;
    ReportedRun run;
    int64_t first_created = 0, last_created = 0;  // seconds since 1970
    std::map<SampleStatus, int64_t> by_status;    // schedules
    std::vector<ReportedSchedule>
        schedules;  // best, one shot, plain, by hand: those that there are
    std::vector<TimedSchedule> timed;
    std::vector<ReportedRound> rounds;
    std::optional<double> prediction_correlation;  // over all of `timed`
    double prediction_bias =
        0;  // measured over predicted, the median over `timed`; 0: nothing was predicted
    std::vector<FailureClass> failures;
    ReportedNoise noise;
    ReportedExplanation explanation;
    std::vector<ReportedSample> samples;
};

}  // namespace cryolite::tools
