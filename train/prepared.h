// Measured schedules as matrices: what the gradient and the loss compute with.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "model/network_parameters.h"
#include "train/samples.h"

namespace cryolite {

// A group's stages side by side. A column is a stage; the stages of a sample are neighbours.
struct PreparedGroup {
    Eigen::MatrixXd algorithm, schedule;  // [input, stage], transformed, centred and scaled
    Eigen::MatrixXd raw;                  // [term, stage], seconds
    Eigen::VectorXd trust;                // [stage]: Network::trust
    std::vector<Eigen::Index> first;      // [sample + 1]: its first stage
    Eigen::VectorXd log_seconds, weight;  // [sample]
    OverlapRule overlap;
    Eigen::Index machine = -1;  // in NetworkParameters::machines; -1: not there

    Eigen::Index num_samples() const { return log_seconds.size(); }
};

// By the centres, scales and ranges of `parameters`. Schedules weigh the more, the faster they are and the less their
// measurements spread.
PreparedGroup prepared(const SampleGroup &group, const NetworkParameters &parameters);

// Centres, scales and ranges that all groups have together. Every group counts alike, however many stages it has.
void scale_inputs(const std::vector<SampleGroup> &groups, NetworkParameters &parameters);

// Widens the ranges to hold the group's stages as well.
void widen_ranges(const SampleGroup &group, NetworkParameters &parameters);

}  // namespace cryolite
