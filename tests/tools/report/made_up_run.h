// A run of the tuner that nobody made, with round numbers: its figures can be counted by hand.
#pragma once

#include <string>
#include <vector>

#include "autotune/store/sample.h"

namespace cryolite {

inline Problem made_up_problem(const std::string &pipeline = "made_up") {
    return {
        pipeline,
        "0123456789abcdef",
        R"(["n=3", "autoscheduler.parallelism=2"])",
        R"({"inputs": {"in": [[0, 640], [-1, 480]]}, "outputs": {"out": [[0, 640]]}, "scalars": {"k": "0.5"}})",
        "x86-64-linux",
        R"({"name": "box"})",
        "21.0.0",
        2};
}

// Timed in turns beside an anchor that takes `anchor` seconds in each.
inline Sample timed(const std::string &trace, const std::string &origin,
                    std::vector<double> seconds, std::vector<double> anchor, int64_t created) {
    Sample s;
    s.trace = trace;
    s.status = SampleStatus::Timed;
    s.origin = origin;
    std::vector<double> ratios;
    for (size_t t = 0; t < seconds.size(); t++) ratios.push_back(seconds[t] / anchor[t]);
    s.spread = spread_of(seconds);
    s.ratio = spread_of(ratios);
    s.seconds = std::move(seconds);
    s.anchor_seconds = std::move(anchor);
    s.cryolite = "0.1.0";
    s.created = created;
    return s;
}

inline Sample failed(const std::string &trace, SampleStatus status, const std::string &message,
                     int64_t created) {
    Sample s;
    s.trace = trace;
    s.status = status;
    s.message = message;
    s.origin = "greedy";
    s.cryolite = "0.1.0";
    s.created = created;
    return s;
}

// The anchor takes 4 ms throughout. One shot takes 4 ms, plain 8 ms, by hand 3 ms, the best 2 ms; three schedules fail.
inline std::vector<Sample> made_up_samples() {
    const std::vector<double> anchor{4e-3, 4e-3};
    std::vector<Sample> all{
        timed("plain", "plain", {8e-3, 8e-3}, anchor, 1010),
        timed("one shot", "one shot", anchor, anchor, 1010),
        timed("", "by hand", {3e-3, 3e-3}, anchor, 1020),
        timed("slow", "greedy", {6e-3, 6e-3}, anchor, 1030),
        timed("good", "greedy", {2.5e-3, 2.5e-3}, anchor, 1030),
        failed("a", SampleStatus::NotBuilt, "Halide refuses it", 1040),
        failed("b", SampleStatus::NotBuilt, "Halide refuses it", 1041),
        failed("c", SampleStatus::Wrong, "output differs", 1042),
        timed("better", "changed", {2e-3, 2e-3}, anchor, 1050),
        timed("good", "greedy", {2.6e-3, 2.6e-3}, anchor, 1060),
    };
    all[0].predicted_seconds = 9e-3;
    all[1].predicted_seconds = 3e-3;
    all[3].predicted_seconds = 5e-3;
    all[4].predicted_seconds = 2e-3;
    all[8].predicted_seconds = 1e-3;
    all[8].round = all[9].round = 1;
    all[9].repeat = 1;
    all[9].quiet = false;
    return all;
}

inline std::vector<TuneRound> made_up_rounds() {
    return {{0, 0, "[]", "{}", 0, 1000}, {1, 7, "[]", "{}", 0.75, 1045}};
}

}  // namespace cryolite
