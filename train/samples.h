// Measured schedules to learn from: out of a store, whose traces the plugin counts anew
// (plugin/tuner/counted_stages.h), or out of the files of `./dev bench model`, one for each pipeline on each machine:
//     {"cryolite_samples": 1, "schema": HEX, "pipeline": NAME, "archive": NAME, "machine": PRESET,
//      "overlap": [core_exposed_share, memory_exposed_share, sharpness],
//      "samples": [{"hash": HEX, "seconds": S, "spread": SHARE,
//                   "stages": [{"raw": {TERM: SECONDS, ...}, "features": [I, ...], "values": [V, ...]}, ...]}, ...]}
// raw: as explained, with page faults on fresh pages only. features: the places in the row of those that are not 0.
// spread: interquartile range of the measurements over their median.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analytical/overlap.h"
#include "base/result.h"
#include "featurize/schema.h"

namespace cryolite {

struct SampleStage {
    Terms raw{};  // seconds
    FeatureRow row{};
};

struct TrainingSample {
    std::string hash;    // of the schedule
    double seconds = 0;  // measured, positive
    double spread = 0;
    std::vector<SampleStage> stages;
};

// All that was measured of one pipeline on one machine: what is ranked together.
struct SampleGroup {
    std::string pipeline, archive, machine;
    OverlapRule overlap;
    std::vector<TrainingSample> samples;
};

// Errors name the file and what is wrong with it.
Result<SampleGroup> parse_samples(std::string_view text, const std::string &path);

// Of all files NAME.json in the folders and below, and of the files, in the order of their paths.
Result<std::vector<SampleGroup>> read_samples(const std::vector<std::string> &paths);

// What the plugin's mode=count has found of some schedules, in their order.
struct CountedSchedules {
    struct Schedule {
        std::vector<SampleStage> stages;
        std::string refused;  // why; empty: it was counted
        bool is_of_another_graph = false;
    };
    std::string machine;
    OverlapRule overlap;
    std::vector<Schedule> found;
};
// Errors: no such text, one of another version or with other features.
Result<CountedSchedules> parse_counted(std::string_view text);

// The same for the same numbers, wherever they were read.
uint64_t hash_of(const std::vector<SampleGroup> &groups);

}  // namespace cryolite
