// Predictions of samples by the code that the plugin uses.
#pragma once

#include <vector>

#include "analytical/correction.h"
#include "train/samples.h"

namespace cryolite {

// Seconds of each sample.
std::vector<double> predicted_seconds(const SampleGroup &group, const Correction &correction);

// What a search would lose by trusting the predictions, and how well they rank: of one group.
struct GroupMetrics {
    double spearman = 0;  // of predicted and measured seconds; 0 of fewer than 3 samples
    double regret = 1;    // the time of the schedule with the least prediction, over the least time
    double regret_of_5 = 1;  // the same with the fastest of the 5 least predictions
};
GroupMetrics metrics_of(const SampleGroup &group, const std::vector<double> &predicted);

}  // namespace cryolite
