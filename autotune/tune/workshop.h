// Where schedules are drawn, built and measured: on this computer, or by whatever a launcher reaches. The loop of the
// tuner knows no more of it than this.
#pragma once

#include <string>
#include <vector>

#include "autotune/runner/run_request.h"
#include "autotune/tune/build.h"
#include "autotune/tune/draws.h"

namespace cryolite {

struct MeasureRules {
    double seconds = 3;  // of timing, all candidates together
    double cut_off = 3;  // candidates slower than the fastest by this factor are out; or no_cut_off
};

struct Measured {
    SampleStatus status = SampleStatus::Failed;
    std::string message;
    std::vector<double>
        seconds;  // [turn]; a candidate that is cut off has fewer turns than the anchor
    double clock_seconds = 0;
};

struct MeasuredGroup {
    Measured anchor;
    std::vector<Measured> candidates;  // in the order in which they were given
    // [candidate]: the anchor in the same turns, where a group is measured in parts on several computers; else empty.
    std::vector<Measured> anchors;
    bool quiet = true;  // whether the computer had no other work

    const Measured &anchor_of(size_t candidate) const {
        return anchors.empty() ? anchor : anchors[candidate];
    }
};

class Workshop {
public:
    virtual ~Workshop() = default;

    // count 0: the problem alone.
    virtual Result<DrawnBatch> draw(const std::vector<Lesson> &lessons, size_t count,
                                    uint64_t seed) = 0;
    // [i]: of traces[i]; an empty trace is what the generator schedules itself. names[i] is a folder's name.
    virtual std::vector<Built> build(const std::vector<std::string> &traces,
                                     const std::vector<std::string> &names) = 0;
    // Compares with the anchor and times by turns. Errors: nothing could be measured at all.
    virtual Result<MeasuredGroup> measure(const std::string &anchor,
                                          const std::vector<std::string> &libraries,
                                          const MeasureRules &rules) = 0;
    virtual void forget(const std::string &name) = 0;
};

}  // namespace cryolite
