// Takes samples of all probes in turn until the time is up.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/calibrate/experiment.h"

namespace cryolite::calibrate {

// Called now and then with the share of the time that is over.
using Progress = std::function<void(double share)>;

struct ProbeResults {
    std::map<std::string, Estimate> seconds;  // per operation, by probe
    // Of the time in which a probe without threads ran, how much this process had a processor.
    double processor_share = 1;
    int rounds = 0;
};

// At least three rounds, however little time there is.
ProbeResults run_probes(const std::vector<Probe> &probes, double seconds, const Progress &progress);

}  // namespace cryolite::calibrate
