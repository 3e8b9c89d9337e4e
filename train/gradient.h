// A member of the network in training: its corrections of a group's stages, the predicted times, and the derivatives of
// a loss by the weights.
//
// The network is four small layers and the overlap already knows its own derivatives (analytical/overlap.h), so both
// ways are written out here. That spares everyone who trains a library for it, and the plugin can train while it draws.
// All numbers are doubles. model/network.h infers with floats; the tests hold both to 1e-5 of the seconds, and the
// derivatives to differences of the loss.
#pragma once

#include <Eigen/Core>
#include <array>

#include "model/network_parameters.h"
#include "train/prepared.h"

namespace cryolite {

// [layer_names]
struct MemberWeights {
    std::array<Eigen::MatrixXd, layer_names.size()> weight;  // [output, input]
    std::array<Eigen::VectorXd, layer_names.size()> bias;    // [output]

    void set_zero();
};
MemberWeights weights_of(const NetworkMember &member);
void write_to(NetworkMember &member, const MemberWeights &weights);

// What each input counts: 1, or in training 0 for what is dropped, and more for the rest.
struct InputMask {
    Eigen::VectorXd algorithm, schedule;

    static InputMask all(const PreparedGroup &group);
};

// What the way back needs of the way forward. A column is a stage.
struct CorrectedStages {
    Eigen::MatrixXd embeddings, hidden;  // after relu
    Eigen::MatrixXd n;                   // [term, stage]: n_k, before the trust
};
CorrectedStages corrected_stages(const MemberWeights &weights, const PreparedGroup &group,
                                 const InputMask &mask);

// Adds to `gradient` the derivatives of a loss by the weights. by_n: [term, stage], its derivatives by n_k.
void add_gradient(const MemberWeights &weights, const PreparedGroup &group, const InputMask &mask,
                  const CorrectedStages &stages, const Eigen::MatrixXd &by_n,
                  MemberWeights &gradient);

struct PredictedTimes {
    Eigen::VectorXd log_seconds;  // [sample]
    // [term, stage]: the derivative of the sample's log seconds by the logarithm of the stage's corrected term.
    Eigen::MatrixXd shares;
};
// n: [term, stage]. log_factors: [term].
PredictedTimes predicted_times(const PreparedGroup &group, const Eigen::MatrixXd &n,
                               const Eigen::VectorXd &log_factors);

}  // namespace cryolite
