#include "autotune/tune/measuring.h"

#include <filesystem>

namespace cryolite {
namespace {

namespace fs = std::filesystem;

// A core of other work changes the times of a pipeline that uses all cores.
constexpr double quiet_load = 0.25;
constexpr double patience = 4, patience_seconds = 300;

SampleStatus status_of(Entry::End end) {
    switch (end) {
        case Entry::End::Timed: return SampleStatus::Timed;
        case Entry::End::Wrong: return SampleStatus::Wrong;
        case Entry::End::Failed: return SampleStatus::Failed;
        case Entry::End::Died: return SampleStatus::Crashed;
        case Entry::End::OutOfMemory: return SampleStatus::OutOfMemory;
        case Entry::End::TooSlow: return SampleStatus::TooSlow;
        case Entry::End::Hung: return SampleStatus::Hung;
        case Entry::End::NotReady: break;
    }
    return SampleStatus::Failed;
}

Measured measured(const Entry &entry) {
    return {status_of(entry.end), entry.message, entry.seconds, entry.clock_seconds};
}

}  // namespace

RunRequest measuring_request(const RunRequest &shared, int threads, const std::string &anchor,
                             const std::vector<std::string> &libraries, const MeasureRules &rules) {
    RunRequest request = shared;
    request.function = tuned_function;
    request.threads = threads;
    request.rules.seconds = rules.seconds;
    request.rules.cut_off = rules.cut_off;
    request.reference = {"anchor", fs::absolute(anchor).string(), ""};
    request.anchor = "anchor";
    for (size_t i = 0; i < libraries.size(); i++)
        request.candidates.push_back({std::to_string(i), fs::absolute(libraries[i]).string(), ""});
    return request;
}

double longest_seconds(const RunRequest &request) {
    return patience_seconds + patience * (request.rules.seconds +
                                          request.rules.longest_run_seconds *
                                              static_cast<double>(request.candidates.size() + 1));
}

Result<MeasuredGroup> measured_group(const RunResult &result, size_t libraries) {
    if (result.entries.size() != libraries + 1)
        return Error{"the runner answered for " + std::to_string(result.entries.size()) +
                     " libraries instead of " + std::to_string(libraries + 1)};
    MeasuredGroup group;
    group.anchor = measured(result.entries[0].entry);
    for (size_t i = 0; i < libraries; i++)
        group.candidates.push_back(measured(result.entries[i + 1].entry));
    group.quiet = result.machine.other_load.value_or(0) < quiet_load;
    return group;
}

}  // namespace cryolite
