// How wrong predicted times of one group are, and the derivatives of that: training.h describes the three parts.
#pragma once

#include <Eigen/Core>

#include "train/prepared.h"

namespace cryolite {

struct LossParts {
    double absolute = 0, ranking = 0;  // beside 1 of the part that compares with the group's mean
};

struct Loss {
    double value = 0;
    Eigen::VectorXd by_log_seconds;  // [sample]; the mean that is subtracted counts as a constant
};

// predicted: log seconds of each sample.
Loss loss_of(const Eigen::VectorXd &predicted, const PreparedGroup &group, const LossParts &parts);

}  // namespace cryolite
