// Samples of many pipelines, for the learned model: of each pipeline one round of schedules, built and measured as the
// tuner does it, and then the next pipeline.
//
// Everything that was found out is in the store before the next thing starts. A run that was killed loses what is in
// flight. The next one takes the draws of the store, measures what is missing of them, and passes over pipelines that
// are complete without starting their generators.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autotune/store/store.h"
#include "autotune/tune/generator.h"
#include "autotune/tune/workshop.h"

namespace cryolite {

struct GatherRules {
    // 0: no limit. Of this run: one that goes on has them anew.
    double budget_seconds = 0;
    int64_t budget_samples = 0;
    size_t schedules_each = 16;  // of a pipeline, the plain one included
    size_t group = 16;           // measured together
    uint64_t seed = 0;
    double seconds_per_candidate = 0.2;  // of timing
    double anchor_seconds = 0.6;         // of timing plain and one shot
    // Candidates slower than the fastest beside them by this factor have one time and no more. Slow ones are worth
    // learning from: a tuner gives up sooner.
    double cut_off = 10;
    std::string cryolite;  // version, kept with each sample
};

// What a user looks at.
struct GatherProgress {
    std::string pipeline, doing;
    size_t pipeline_number = 0, pipelines = 0;  // the first is 1
    int64_t samples_in_this_run = 0;
    std::map<SampleStatus, int64_t> by_status;  // in this run
    double spent_seconds = 0, budget_seconds = 0;
    int64_t budget_samples = 0;
    bool quiet = true;  // during the latest measurement

    double samples_per_hour() const {
        return spent_seconds > 0 ? 3600 * static_cast<double>(samples_in_this_run) / spent_seconds
                                 : 0;
    }
};

class GatherObserver {
public:
    virtual ~GatherObserver() = default;
    virtual void progress(const GatherProgress &) {}
    virtual void sampled(const std::string & /*pipeline*/, const Sample &) {}
    virtual void say(const std::string &) {}
};

struct GatherResult {
    std::string ended_by;  // "budget", "stopped", "all is there"
    GatherProgress progress;
    size_t complete = 0;  // pipelines, those of earlier runs included
    size_t failed = 0;    // of which nothing could be measured
};

// A workshop for a generator; the generator lives as long. Errors end the gathering: nothing can be built at all.
using MakeWorkshop = std::function<Result<std::unique_ptr<Workshop>>(const Generator &)>;

// What a pipeline is called beside others: NAME, or NAME with its parameters.
std::string title_of(const std::string &pipeline, const std::vector<std::string> &parameters);

// A pipeline that cannot be drawn, built or run is told and passed over; many in a row are an error, and so are those
// of the store. stop: ends it soon.
Result<GatherResult> gather(const std::vector<Generator> &pipelines, const MakeWorkshop &make,
                            Store &store, const GatherRules &rules, GatherObserver &observer,
                            const std::atomic<bool> &stop);

}  // namespace cryolite
