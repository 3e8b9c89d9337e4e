// Trains a network on measured schedules: OOPSLA 2021, section 5.3.
//
// The loss of a group (one pipeline on one machine) has three parts, r being log(predicted / measured):
//     absolute_part * mean huber(r)  +  mean huber(r - mean r)  +  ranking_part * mean over pairs of a logistic loss
// A search compares schedules of one pipeline, so the last two count most. Schedules count the more, the faster they
// are and the less their measurements spread. Two penalties hold n_k and log c_k near 0: what the measurements do not
// tell stays analytical.
//
// In training each group also has factors of its own for the terms, which are forgotten afterwards. They take what is
// so of one pipeline alone, so that the network learns what holds for several.
//
// Each member of the ensemble leaves other pipelines out, begins with other weights and stops when it was best on what
// it left out. Everything follows from the seed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/network_parameters.h"
#include "train/samples.h"

namespace cryolite {

// The values were chosen by the means over the held out folds of bench/model.py. The results hardly depend on them.
struct TrainingOptions {
    uint64_t seed = 0;
    size_t members = 3;
    int epochs = 25;
    size_t groups_per_step = 8;
    int patience = 6;  // epochs without a better one on what was left out
    double learning_rate = 8e-4, weight_decay = 0.1;
    double dropped_inputs = 0.5;  // share that is 0 in a step
    double absolute_part = 0.02, ranking_part = 1;
    double correction_penalty = 0.5;  // of the mean of n_k^2
    double factor_penalty = 0.05;     // of the mean of (log c_k)^2
    double own_penalty = 0.2;         // of the mean of the squares of a group's own log factors
    double left_out_share = 0.2;      // of the pipelines, by each member
    // The algorithm's features tell pipelines apart. With a few dozen pipelines a network learns these by heart, and
    // ranks unseen ones no better.
    bool without_algorithm = true;
    // For ablations.
    bool without_schedule = false, without_terms = false;
    bool without_ranges = false;   // stages beyond what was learned from are corrected in full
    bool without_network = false;  // the factors c_k alone are learned
};

// After an epoch: mean losses of the groups that were learned from and of those that the member stops by. Without any
// that are left out, the second is that of all.
struct TrainingProgress {
    size_t member;
    int epoch;  // from 1
    double loss, left_out_loss;
};

// groups: at least one with samples. progress: may be null.
NetworkParameters train_network(const std::vector<SampleGroup> &groups,
                                const TrainingOptions &options,
                                const std::function<void(const TrainingProgress &)> &progress);

// The same from a network that is trained already, whose inputs stay as they are. The penalties and the decay hold it
// near what it was. left_out: [group], by which all members stop; no group has factors of its own.
NetworkParameters trained_further(const NetworkParameters &prior,
                                  const std::vector<SampleGroup> &groups,
                                  const std::vector<bool> &left_out, const TrainingOptions &options,
                                  const std::function<void(const TrainingProgress &)> &progress);

}  // namespace cryolite
