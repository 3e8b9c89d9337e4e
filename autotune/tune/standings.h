// How the schedules of a problem compare, over all samples of each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "autotune/store/sample.h"

namespace cryolite {

struct Standing {
    std::string trace, origin;
    SampleStatus status = SampleStatus::NotBuilt;
    std::string message;
    Spread ratio;    // to the anchor, over the turns of all its timed samples
    Spread seconds;  // of one run; of a schedule that is too slow, those of its first run
    int64_t samples = 0;
    double predicted_seconds = 0;
    uint64_t object_hash = 0;
};

class Standings {
public:
    // Samples in the order in which they were added.
    void add(const Sample &sample);

    bool knows(const std::string &trace) const { return index_.contains(trace); }
    // Null: not known.
    const Standing *of(const std::string &trace) const;
    // The first of an origin; null: none.
    const Standing *first(std::string_view origin) const;
    // A timed schedule with the same compiled code; null: none.
    const Standing *same_code(uint64_t object_hash) const;

    const std::vector<Standing> &all() const {
        return all_;
    }  // in the order of their first samples
    // The timed ones, the fastest first; schedules without a trace, which nobody could emit, are left out.
    std::vector<const Standing *> fastest() const;
    // The timed ones, the fastest first, then the others in the order of `all()`. People number schedules by it.
    std::vector<const Standing *> ranked() const;
    // The schedule with the seconds that it would take while the anchor takes its median: those of different schedules
    // were measured at different times, when the computer may have been slower or faster.
    Standing comparable(const Standing &standing) const;
    // The same of its seconds alone, for the anchor's median that is given: anchor_seconds() looks at all turns.
    static Spread comparable_seconds(const Standing &standing, double anchor_seconds);
    // Median seconds of the anchor, over all turns; 0: none.
    double anchor_seconds() const;

private:
    struct Turns {
        std::vector<double> ratios, seconds;
    };
    std::vector<Standing> all_;
    std::vector<Turns> turns_;  // [standing]
    std::vector<double> anchor_;
    std::unordered_map<std::string, size_t> index_;  // by trace
};

}  // namespace cryolite
