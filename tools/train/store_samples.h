// What a store of samples has to learn from. Its traces are counted anew by the plugin, in a run of the generator for
// each problem.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/samples.h"

namespace cryolite::tools {

struct CountRules {
    std::vector<std::string>
        generators;      // paths NAME.generator; others are looked for beside this program
    std::string plugin;  // empty: that beside this program
    const std::atomic<bool> *stop = nullptr;
};

struct CountProgress {
    size_t problem, problems;  // from 1
    std::string title;
};

struct StoreSamples {
    std::vector<SampleGroup> groups;       // a problem each, with the store's name as archive
    std::vector<std::string> passed_over;  // a problem and why, or a generator that is missing
    int64_t refused = 0;                   // schedules whose traces no longer fit
};

// A problem without a timed schedule is left out without a word. Errors: the store cannot be read, or it was stopped.
Result<StoreSamples> samples_of_store(const std::string &path, const CountRules &rules,
                                      const std::function<void(const CountProgress &)> &progress);

}  // namespace cryolite::tools
